// SPDX-License-Identifier: GPL-2.0
/* classes.cc - exceptions, destructors, virtual calls, templates */
#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

struct base {
	virtual ~base() {}
	virtual int get(int a) = 0;
};

struct derived : base {
	std::string s;
	explicit derived(const char *p) : s(p) {}
	int get(int a) override
	{
		if (a > 100)
			throw std::runtime_error(s);
		return a + (int)s.size();
	}
};

template <typename T>
static T fold(const std::vector<T> &v)
{
	T sum{};

	for (const T &x : v)
		sum += x;
	return sum;
}

int guarded(base &b, int a)
{
	std::string local("local");

	try {
		return b.get(a) + (int)local.size();
	} catch (const std::exception &e) {
		return -(int)std::string(e.what()).size();
	}
}

int main(int argc, char **argv)
{
	std::map<std::string, int> m;
	std::vector<int> v;
	derived d("derived");

	for (int i = 0; i < argc; i++)
		m[argv[i]] = guarded(d, i * 60);
	for (auto &p : m)
		v.push_back(p.second);
	std::sort(v.begin(), v.end(), [](int a, int b) { return a > b; });
	return fold(v) == 99;
}
