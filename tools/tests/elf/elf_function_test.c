// SPDX-License-Identifier: GPL-2.0
/*
 * elf_function_test.c - functions with versions, and indirect ones, of the libc that runs here.
 */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <string.h>

#include "elf/elf_file.h"
#include "elf/loaded_function.h"
#include "tests/tap.h"

static const char *libc;
static u64 base;
static struct lw_elf file;

static int see_object(struct dl_phdr_info *info, size_t size, void *ctx)
{
	(void)size;
	(void)ctx;
	if (!strstr(info->dlpi_name, "/libc.so"))
		return 0;
	libc = info->dlpi_name;
	base = info->dlpi_addr;
	return 1;
}

/* Of libc: a sanitizer has functions of the same names. */
static u64 loader_says(const char *name, const char *version)
{
	void *handle = dlopen(libc, RTLD_LAZY | RTLD_NOLOAD);
	void *code = version ? dlvsym(handle, name, version) : dlsym(handle, name);

	dlclose(handle);
	return (uintptr_t)code - base;
}

static bool default_version_is_taken_unasked(void)
{
	struct lw_elf_function function;

	CHECK(!lw_elf_find_function(&file, "pthread_cond_wait", &function) && !function.indirect);
	CHECK(function.addr == loader_says("pthread_cond_wait", "GLIBC_2.3.2"));
	return true;
}

static bool version_picks_one(void)
{
	struct lw_elf_function old, new, same;

	CHECK(!lw_elf_find_function(&file, "pthread_cond_wait@GLIBC_2.2.5", &old));
	CHECK(!lw_elf_find_function(&file, "pthread_cond_wait@GLIBC_2.3.2", &new));
	CHECK(!lw_elf_find_function(&file, "pthread_cond_wait@@GLIBC_2.3.2", &same));
	CHECK(old.addr == loader_says("pthread_cond_wait", "GLIBC_2.2.5"));
	CHECK(new.addr == loader_says("pthread_cond_wait", "GLIBC_2.3.2") && new.addr != old.addr);
	CHECK(same.addr == new.addr);
	CHECK(lw_elf_find_function(&file, "pthread_cond_wait@GLIBC_9", &old) == -ENOENT);
	CHECK(lw_elf_find_function(&file, "pthread_cond_wai", &old) == -ENOENT);
	return true;
}

static bool indirect_function_is_what_the_loader_says(void)
{
	struct lw_elf_function function;
	u64 addr, old;

	CHECK(!lw_elf_find_function(&file, "memcpy", &function) && function.indirect);
	CHECK(!lw_loaded_function(libc, "memcpy", &addr));
	CHECK(addr == loader_says("memcpy", NULL) && addr != function.addr);
	CHECK(!lw_loaded_function(libc, "memcpy@GLIBC_2.2.5", &old));
	CHECK(old == loader_says("memcpy", "GLIBC_2.2.5"));
	CHECK(!lw_elf_find_function(&file, "getpid", &function) && !function.indirect);
	return true;
}

static bool file_that_is_not_loaded_is_not_asked(void)
{
	u64 addr;

	CHECK(lw_loaded_function("/proc/self/exe", "main", &addr) == -ENOENT);
	CHECK(lw_loaded_function("/no/file", "memcpy", &addr) == -ENOENT);
	CHECK(lw_loaded_function(libc, "no_such_function", &addr) == -ENOENT);
	return true;
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(default_version_is_taken_unasked),
		TEST(version_picks_one),
		TEST(indirect_function_is_what_the_loader_says),
		TEST(file_that_is_not_loaded_is_not_asked),
	};
	int failed;

	if (!dl_iterate_phdr(see_object, NULL) || lw_elf_open(&file, libc))
		return 1;
	failed = tap_run(tests, ARRAY_SIZE(tests));
	lw_elf_close(&file);
	return failed;
}
