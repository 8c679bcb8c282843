// SPDX-License-Identifier: GPL-2.0
/*
 * throw.cc - C++: what runs before a throw, in a destructor on the way to the
 * handler, and in that.
 */
#include <stdexcept>

#define KEEP	extern "C" __attribute__((noipa))

KEEP long leaf(long n)
{
	long sum = 0;

	while (n--) {
		sum ^= n * n;
		__asm__ volatile("" : "+r"(sum));
	}
	return sum;
}

struct Guard {
	__attribute__((noipa)) ~Guard()
	{
		leaf(1000000);
		__asm__ volatile("");
	}
};

KEEP long thrower(long n)
{
	if (leaf(n) != 1)
		throw std::runtime_error("thrown");
	return n;
}

KEEP long middle(long n)
{
	Guard guard;

	return thrower(n) + 1;
}

KEEP long catcher(long n)
{
	try {
		return middle(n) + 1;
	} catch (const std::runtime_error &) {
		return leaf(n) + 1;
	}
}

int main()
{
	long sum = 0;

	for (int i = 0; i < 150; i++)
		sum += catcher(1000000);
	return sum == 1;
}
