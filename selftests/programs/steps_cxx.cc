// SPDX-License-Identifier: GPL-2.0
/*
 * steps_cxx.cc - for step_oracle: exceptions, on their way through frames that
 * clean up, are looked at and thrown again.
 */
#include <stdexcept>
#include <string>

#include "steps.h"

namespace {

int cleaned;

struct Cleans {
	~Cleans() { cleaned++; }
};

STEP_FUNCTION long throws(long n)
{
	if (n > 3)
		throw std::runtime_error(std::string("a text that is not short: ") +
					 std::to_string(n));
	return n + 1;
}

STEP_FUNCTION long cleans_up(long n)
{
	Cleans first, second;
	char local[200];
	long ret;

	__builtin_memset(local, n, sizeof(local));
	ret = throws(n);
	STEP_USE(ret);
	return ret + local[n];
}

STEP_FUNCTION long throws_again(long n)
{
	try {
		return cleans_up(n) + 1;
	} catch (const std::logic_error &) {
		return -1;
	} catch (...) {
		throw;
	}
}

struct Base {
	virtual ~Base() = default;
	virtual long call(long n) = 0;
};

struct Derived : Base {
	STEP_FUNCTION long call(long n) override { return throws_again(n) + 1; }
};

STEP_FUNCTION long catches(Base *object, long n)
{
	try {
		return object->call(n);
	} catch (const std::exception &e) {
		return std::string(e.what()).size();
	}
}

/* A thunk of another base class. */
struct Other {
	virtual long other(long n) = 0;
};

struct Both : Derived, Other {
	STEP_FUNCTION long other(long n) override { return call(n) + 2; }
};

STEP_FUNCTION long calls_other(Other *object, long n)
{
	long ret = object->other(n);

	STEP_USE(ret);
	return ret;
}

/* A destructor that throws and catches, while an exception is on its way. */
struct Nests {
	Derived object;
	~Nests() { catches(&object, 9); }
};

STEP_FUNCTION long nested(long n)
{
	Nests guard;

	return throws(n) + 1;
}

} // namespace

int main()
{
	Derived derived;
	Both both;

	if (catches(&derived, 1) != 5 || calls_other(&both, 2) != 9)
		return 3;
	catches(&derived, 5);
	try {
		nested(7);
		return 1;
	} catch (const std::runtime_error &) {
	}
	return cleaned == 8 ? 0 : 2;
}
