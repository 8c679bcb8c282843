/* SPDX-License-Identifier: GPL-2.0 */
/*
 * util.h - small helpers that every part of the tool uses.
 */
#ifndef LW_UTIL_H
#define LW_UTIL_H

#include <linux/types.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s32 s32;
typedef __s64 s64;

#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define ALIGN_UP(x, a)		(((x) + (a) - 1) & ~((typeof(x))(a) - 1))
#define __printf(a, b)		__attribute__((format(printf, a, b)))
#define NSEC_PER_SEC		1000000000ULL

#define load_acquire(p)		__atomic_load_n((p), __ATOMIC_ACQUIRE)
#define store_release(p, v)	__atomic_store_n((p), (v), __ATOMIC_RELEASE)

int __printf(2, 3) lw_fail(int err, const char *fmt, ...);
const char *lw_fail_text(void);

int lw_parse_u64(const char *text, u64 *value);
int lw_parse_size(const char *text, u64 *value);
int lw_take_percent(double *percent, const char *text);

ssize_t lw_read_file(const char *path, char *buf, size_t size);
char *lw_read_text(const char *path, size_t *size);
bool lw_read_at(int fd, u64 offset, void *to, u64 size);
int lw_grow(void **array, size_t *room, size_t want, size_t elem);
u64 lw_now(void);
bool lw_join_thread(pthread_t thread, u64 until);
int lw_online_cpus(u32 **cpus);
void lw_raise_fd_limit(void);

/**
 * lw_hash64 - spread the bits of a key
 * @key: any number
 *
 * Return: a hash whose low bits are as good as its high ones.
 */
static inline u64 lw_hash64(u64 key)
{
	key ^= key >> 31;
	key *= 0x9e3779b97f4a7c15ULL;
	return key ^ (key >> 29);
}

#endif /* LW_UTIL_H */
