// SPDX-License-Identifier: GPL-2.0
/*
 * bpf_program.c - one BPF program, or the types of some, out of the kernel.
 *
 * The kernel's answers are checked all the same: sizes come by one call and data by
 * another.
 *
 * Contexts: any thread.
 */
#include <errno.h>
#include <linux/btf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "perf/bpf_programs.h"

/* A million instructions make less than that. */
#define MAX_DATA	(64U << 20)
#define MAX_TYPES	(1U << 20)

/* An array of struct bpf_prog_info: where its pointer, count and element size are. */
struct array {
	u32 pointer;
	u32 count;
	u32 size;		/* of an element; 0: it is in the struct */
	u32 size_at;
};

#define AT(field)	offsetof(struct bpf_prog_info, field)

/* By perf's numbers.  Those that it does not use are not fetched. */
static const struct array arrays[] = {
	[0] = { AT(jited_prog_insns), AT(jited_prog_len), 1, 0 },
	[3] = { AT(jited_ksyms), AT(nr_jited_ksyms), sizeof(u64), 0 },
	[4] = { AT(jited_func_lens), AT(nr_jited_func_lens), sizeof(u32), 0 },
	[5] = { AT(func_info), AT(nr_func_info), 0, AT(func_info_rec_size) },
	[6] = { AT(line_info), AT(nr_line_info), 0, AT(line_info_rec_size) },
	[7] = { AT(jited_line_info), AT(nr_jited_line_info), 0, AT(jited_line_info_rec_size) },
	[8] = { AT(prog_tags), AT(nr_prog_tags), BPF_TAG_SIZE, 0 },
};

static int bpf(int command, union bpf_attr *attr, size_t size)
{
	int ret = syscall(SYS_bpf, command, attr, size);

	return ret < 0 ? -errno : ret;
}

static int fd_by_id(int command, u32 id)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.prog_id = id;	/* in a union with btf_id */
	return bpf(command, &attr, sizeof(attr));
}

static int read_info(int fd, void *info, u32 size)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.info.bpf_fd = fd;
	attr.info.info_len = size;
	attr.info.info = (unsigned long)info;
	return bpf(BPF_OBJ_GET_INFO_BY_FD, &attr, sizeof(attr));
}

static u32 field32(const struct bpf_prog_info *info, u32 at)
{
	u32 value;

	memcpy(&value, (const u8 *)info + at, sizeof(value));
	return value;
}

static void set_field(struct bpf_prog_info *info, u32 at, const void *value, size_t size)
{
	memcpy((u8 *)info + at, value, size);
}

static u64 array_bytes(const struct bpf_prog_info *info, const struct array *array)
{
	u64 size = array->size ? array->size : field32(info, array->size_at);

	return field32(info, array->count) * size;
}

/* How the arrays will stand in the data; @told: what the kernel has. */
static int lay_out(struct lw_bpf_program *prog, const struct bpf_prog_info *told)
{
	u64 offset = 0;

	memset(&prog->info, 0, sizeof(prog->info));
	for (u32 i = 0; i < ARRAY_SIZE(arrays); i++) {
		const struct array *array = &arrays[i];
		u64 bytes = array->count ? array_bytes(told, array) : 0;
		u32 count = array->count ? field32(told, array->count) : 0;

		if (!bytes)
			continue;
		set_field(&prog->info, array->pointer, &offset, sizeof(offset));
		set_field(&prog->info, array->count, &count, sizeof(count));
		if (array->size_at)
			set_field(&prog->info, array->size_at,
				  (const u8 *)told + array->size_at, sizeof(u32));
		prog->arrays |= 1ULL << i;
		offset += ALIGN_UP(bytes, sizeof(u64));
		if (offset > MAX_DATA)
			return -E2BIG;
	}
	prog->data_len = offset;
	return 0;
}

/* Offsets to addresses, as the kernel wants them. */
static void make_pointers(const struct lw_bpf_program *prog, struct bpf_prog_info *info)
{
	u64 address;

	*info = prog->info;
	for (u32 i = 0; i < ARRAY_SIZE(arrays); i++) {
		if (!(prog->arrays & 1ULL << i))
			continue;
		memcpy(&address, (u8 *)info + arrays[i].pointer, sizeof(address));
		address += (unsigned long)prog->data;
		set_field(info, arrays[i].pointer, &address, sizeof(address));
	}
}

/* An array that @filled has with another length than was asked for counts as missing. */
static void take_filled(struct lw_bpf_program *prog, struct bpf_prog_info *filled)
{
	static const u64 none;
	u64 address;

	for (u32 i = 0; i < ARRAY_SIZE(arrays); i++) {
		const struct array *array = &arrays[i];

		if (!array->count)
			continue;
		memcpy(&address, (u8 *)filled + array->pointer, sizeof(address));
		if (!address || !array_bytes(filled, array) ||
		    array_bytes(filled, array) > array_bytes(&prog->info, array)) {
			prog->arrays &= ~(1ULL << i);
			set_field(filled, array->pointer, &none, sizeof(none));
			set_field(filled, array->count, &none, sizeof(u32));
			continue;
		}
		set_field(filled, array->pointer, (u8 *)&prog->info + array->pointer,
			  sizeof(address));
	}
	/* those of the arrays that were not asked for */
	filled->xlated_prog_insns = 0;
	filled->map_ids = 0;
	prog->info = *filled;
}

static int fetch(struct lw_bpf_program *prog, int fd)
{
	struct bpf_prog_info info;
	int ret;

	memset(&info, 0, sizeof(info));
	ret = read_info(fd, &info, sizeof(info));
	if (!ret)
		ret = lay_out(prog, &info);
	if (ret)
		return ret;
	prog->data = calloc(1, prog->data_len + 1);
	if (!prog->data)
		return -ENOMEM;
	make_pointers(prog, &info);
	ret = read_info(fd, &info, sizeof(info));
	if (!ret)
		take_filled(prog, &info);
	return ret;
}

/**
 * lw_bpf_program_read - a program with its code and line info
 * @prog: out: free it with lw_bpf_program_free()
 * @id: of the program
 *
 * Return: 0 or -errno: -ENOENT when it is gone, -EPERM without CAP_SYS_ADMIN.
 */
int lw_bpf_program_read(struct lw_bpf_program *prog, u32 id)
{
	int fd = fd_by_id(BPF_PROG_GET_FD_BY_ID, id), ret;

	memset(prog, 0, sizeof(*prog));
	if (fd < 0)
		return fd;
	ret = fetch(prog, fd);
	close(fd);
	if (ret)
		lw_bpf_program_free(prog);
	return ret;
}

/**
 * lw_bpf_program_free - free what lw_bpf_program_read() made
 * @prog: read or zeroed
 */
void lw_bpf_program_free(struct lw_bpf_program *prog)
{
	free(prog->data);
	memset(prog, 0, sizeof(*prog));
}

static int fetch_btf(struct lw_bpf_btf *btf, int fd)
{
	struct bpf_btf_info info;
	u32 size;
	int ret;

	memset(&info, 0, sizeof(info));
	ret = read_info(fd, &info, sizeof(info));
	if (ret)
		return ret;
	size = info.btf_size;
	if (size > MAX_DATA)
		return -E2BIG;
	btf->data = calloc(1, size + 1);
	if (!btf->data)
		return -ENOMEM;
	memset(&info, 0, sizeof(info));
	info.btf = (unsigned long)btf->data;
	info.btf_size = size;
	ret = read_info(fd, &info, sizeof(info));
	btf->id = info.id;
	btf->size = info.btf_size < size ? info.btf_size : size;
	return ret;
}

/**
 * lw_bpf_btf_read - the types of programs
 * @btf: out: free it with lw_bpf_btf_free()
 * @id: lw_bpf_program.info.btf_id
 *
 * Return: 0 or -errno.
 */
int lw_bpf_btf_read(struct lw_bpf_btf *btf, u32 id)
{
	int fd = fd_by_id(BPF_BTF_GET_FD_BY_ID, id), ret;

	memset(btf, 0, sizeof(*btf));
	if (fd < 0)
		return fd;
	ret = fetch_btf(btf, fd);
	close(fd);
	if (ret)
		lw_bpf_btf_free(btf);
	return ret;
}

/**
 * lw_bpf_btf_free - free what lw_bpf_btf_read() made
 * @btf: read or zeroed
 */
void lw_bpf_btf_free(struct lw_bpf_btf *btf)
{
	free(btf->data);
	memset(btf, 0, sizeof(*btf));
}

/* Bytes behind a struct btf_type. */
static u64 type_extra(const struct btf_type *type)
{
	u32 nr = BTF_INFO_VLEN(type->info);

	switch (BTF_INFO_KIND(type->info)) {
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case 17:		/* BTF_KIND_DECL_TAG */
		return sizeof(u32);
	case BTF_KIND_ARRAY:
		return sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return (u64)nr * sizeof(struct btf_member);
	case BTF_KIND_ENUM:
		return (u64)nr * sizeof(struct btf_enum);
	case BTF_KIND_FUNC_PROTO:
		return (u64)nr * sizeof(struct btf_param);
	case BTF_KIND_DATASEC:
		return (u64)nr * sizeof(struct btf_var_secinfo);
	case 19:		/* BTF_KIND_ENUM64 */
		return (u64)nr * 3 * sizeof(u32);
	}
	return 0;
}

static const struct btf_type *find_type(const u8 *types, u64 size, u32 type_id)
{
	u64 at = 0;

	for (u32 id = 1; id < MAX_TYPES && at + sizeof(struct btf_type) <= size; id++) {
		const struct btf_type *type = (const void *)(types + at);

		if (id == type_id)
			return type;
		at += sizeof(*type) + type_extra(type);
	}
	return NULL;
}

/**
 * lw_bpf_btf_name - the name of a type, or of a function
 * @btf: any bytes
 * @type_id: its number
 *
 * Return: the name, or NULL when there is none.
 */
const char *lw_bpf_btf_name(const struct lw_bpf_btf *btf, u32 type_id)
{
	const struct btf_header *header = (const void *)btf->data;
	const struct btf_type *type;
	const char *name;
	u64 types, names;

	if (btf->size < sizeof(*header) || header->magic != BTF_MAGIC)
		return NULL;
	types = (u64)header->hdr_len + header->type_off;
	names = (u64)header->hdr_len + header->str_off;
	if (types % sizeof(u32) || types + header->type_len > btf->size ||
	    names + header->str_len > btf->size)
		return NULL;
	type = find_type(btf->data + types, header->type_len, type_id);
	if (!type || type->name_off >= header->str_len)
		return NULL;
	name = (const char *)btf->data + names + type->name_off;
	return *name && memchr(name, 0, header->str_len - type->name_off) ? name : NULL;
}
