// SPDX-License-Identifier: GPL-2.0
/*
 * gen_input.c - what is read of a file to make its tables, all of it once.
 *
 * The file may be anybody's, sparse, and may change meanwhile: sizes are checked
 * against limits and against the file before there is memory for them, what was
 * read is what is converted, and nothing is mapped, so that a file that is cut is
 * no SIGBUS.  A part that the file does not have, or that is too large, is missing.
 *
 * Contexts: any thread.  Large files wait for each other, as each may need some ten
 * times its call frame information; one that was opened must be closed by the same
 * thread, and by one that has no other one open.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "sframe/gen_parts.h"

#define MAX_SECTIONS	65536U		/* linked files have some 40 */
#define MAX_NAMES	(4ULL << 20)	/* bytes of their names */
#define MAX_CFI		(64ULL << 20)	/* bytes; the largest met had 7 million */
#define MAX_HEADER	64U		/* bytes of .eh_frame_hdr that matter */
#define MAX_LOOKED_AT	64U		/* segments, for an address */
#define LARGE		(8ULL << 20)	/* bytes of all that is read */
#define MAX_WAIT	30		/* seconds, for others that are large */

/* Held while a large file is in memory: there is one at a time. */
static pthread_mutex_t large_lock = PTHREAD_MUTEX_INITIALIZER;

struct sections {
	const Elf64_Shdr *eh_frame, *debug_frame;
};

/**
 * gen_input_copy - read some of a file
 * @input: the file
 * @offset: in the file
 * @to: out
 * @size: bytes
 *
 * Return: false if it is not all there.
 */
bool gen_input_copy(const struct gen_input *input, u64 offset, void *to, u64 size)
{
	if (offset > input->size || size > input->size - offset)
		return false;
	if (input->image) {
		memcpy(to, input->image + offset, size);
		return true;
	}
	return lw_read_at(input->fd, offset, to, size);
}

/**
 * gen_input_copy_addr - read some of a file by its address
 * @input: the file, with its segments
 * @addr: in the file's headers
 * @to: out
 * @size: bytes
 *
 * Return: false if it is not all there.
 */
bool gen_input_copy_addr(const struct gen_input *input, u64 addr, void *to, u64 size)
{
	for (size_t i = 0; i < input->nr_phdrs && i < MAX_LOOKED_AT; i++) {
		const Elf64_Phdr *phdr = &input->phdrs[i];

		if (phdr->p_type == PT_LOAD && addr - phdr->p_vaddr < phdr->p_filesz &&
		    size <= phdr->p_filesz - (addr - phdr->p_vaddr))
			return gen_input_copy(input, phdr->p_offset + (addr - phdr->p_vaddr), to,
					      size);
	}
	return false;
}

static void free_bytes(struct gen_bytes *bytes)
{
	free(bytes->at);
	bytes->at = NULL;
	bytes->size = 0;
}

/* A part that is missing or too large stays empty.  Return: 0 or -ENOMEM. */
static int read_part(const struct gen_input *input, u64 offset, u64 size, u64 most,
		     struct gen_bytes *to)
{
	if (!size || size > most || offset > input->size || size > input->size - offset)
		return 0;
	to->at = malloc(size);
	if (!to->at)
		return -ENOMEM;
	to->size = size;
	if (!gen_input_copy(input, offset, to->at, size))
		free_bytes(to);
	return 0;
}

/**
 * gen_input_order - turn headers from a file's byte order to ours, or from ours to a file's
 * @data: ELFDATA2*, of the file
 * @bytes: headers
 * @size: all of them
 * @type: each is one such
 *
 * Return: false: the file has no byte order.
 */
bool gen_input_order(u8 data, void *bytes, size_t size, Elf_Type type)
{
	Elf_Data headers = {
		.d_buf = bytes, .d_size = size, .d_type = type, .d_version = EV_CURRENT,
	};

	return elf64_xlatetom(&headers, &headers, data);
}

static int check_header(struct gen_input *input)
{
	static const struct gen_machine *const machines[] = {
		&gen_x86_64, &gen_aarch64, &gen_s390x,
	};
	Elf64_Ehdr *ehdr = &input->ehdr;
	bool big = ehdr->e_ident[EI_DATA] == ELFDATA2MSB;

	if (!gen_input_order(ehdr->e_ident[EI_DATA], ehdr, sizeof(*ehdr), ELF_T_EHDR))
		return lw_fail(-EOPNOTSUPP, "%s: of a byte order that nobody has (EI_DATA %u)",
			       input->name, ehdr->e_ident[EI_DATA]);
	for (size_t i = 0; i < ARRAY_SIZE(machines); i++) {
		if (ehdr->e_machine == machines[i]->elf && big == machines[i]->big)
			input->machine = machines[i];
	}
	if (!input->machine || ehdr->e_ident[EI_CLASS] != ELFCLASS64)
		return lw_fail(-EOPNOTSUPP,
			       "%s: not of x86-64, arm64 or s390x, but of machine %u, %u bits, %s endian\n"
			       "  Only files of these three can be converted.", input->name,
			       ehdr->e_machine, ehdr->e_ident[EI_CLASS] == ELFCLASS64 ? 64 : 32,
			       big ? "big" : "little");
	if (ehdr->e_type != ET_EXEC && ehdr->e_type != ET_DYN)
		return lw_fail(-EOPNOTSUPP, "%s: neither a program nor a library (ELF type %u)",
			       input->name, ehdr->e_type);
	return 0;
}

static int read_header(struct gen_input *input)
{
	if (!gen_input_copy(input, 0, &input->ehdr, sizeof(input->ehdr)) ||
	    memcmp(input->ehdr.e_ident, ELFMAG, SELFMAG) ||
	    input->ehdr.e_ident[EI_VERSION] != EV_CURRENT)
		return lw_fail(-ENOEXEC, "%s: not an ELF file", input->name);
	return check_header(input);
}

static int read_segment_headers(struct gen_input *input)
{
	const Elf64_Ehdr *ehdr = &input->ehdr;
	struct gen_bytes bytes = { 0 };
	u64 size = (u64)ehdr->e_phnum * sizeof(Elf64_Phdr);
	int ret;

	if (ehdr->e_phentsize != sizeof(Elf64_Phdr))
		return 0;
	ret = read_part(input, ehdr->e_phoff, size, size, &bytes);
	input->phdrs = (Elf64_Phdr *)bytes.at;
	input->nr_phdrs = bytes.size / sizeof(Elf64_Phdr);
	gen_input_order(ehdr->e_ident[EI_DATA], bytes.at, bytes.size, ELF_T_PHDR);
	return ret;
}

/* The number, and that of the section with names, may be in the first one. */
static int read_section_headers(struct gen_input *input)
{
	const Elf64_Ehdr *ehdr = &input->ehdr;
	struct gen_bytes bytes = { 0 };
	u64 nr = ehdr->e_shnum;
	Elf64_Shdr first;
	int ret;

	if (!ehdr->e_shoff || ehdr->e_shentsize != sizeof(first) ||
	    !gen_input_copy(input, ehdr->e_shoff, &first, sizeof(first)))
		return 0;
	gen_input_order(ehdr->e_ident[EI_DATA], &first, sizeof(first), ELF_T_SHDR);
	if (!nr)
		nr = first.sh_size;
	if (nr > MAX_SECTIONS)
		return 0;
	ret = read_part(input, ehdr->e_shoff, nr * sizeof(first), MAX_SECTIONS * sizeof(first),
			&bytes);
	input->shdrs = (Elf64_Shdr *)bytes.at;
	input->nr_shdrs = bytes.size / sizeof(first);
	gen_input_order(ehdr->e_ident[EI_DATA], bytes.at, bytes.size, ELF_T_SHDR);
	input->names_in = ehdr->e_shstrndx == SHN_XINDEX ? first.sh_link : ehdr->e_shstrndx;
	return ret;
}

static int read_names(struct gen_input *input)
{
	const Elf64_Shdr *shdr;

	if (input->names_in >= input->nr_shdrs)
		return 0;
	shdr = &input->shdrs[input->names_in];
	if (shdr->sh_type != SHT_STRTAB)
		return 0;
	return read_part(input, shdr->sh_offset, shdr->sh_size, MAX_NAMES, &input->names);
}

/**
 * gen_is_named - compare a name of a file
 * @names: a section of such
 * @at: where it begins
 * @name: with which
 *
 * Return: true if it is that; never reads more of the file's than @name has.
 */
bool gen_is_named(const struct gen_bytes *names, u64 at, const char *name)
{
	size_t size = strlen(name) + 1;

	return at < names->size && size <= names->size - at && !memcmp(names->at + at, name, size);
}

static bool is_called(const struct gen_input *input, const Elf64_Shdr *shdr, const char *name)
{
	return gen_is_named(&input->names, shdr->sh_name, name);
}

static bool is_plt(const struct gen_input *input, const Elf64_Shdr *shdr)
{
	return is_called(input, shdr, ".plt") || is_called(input, shdr, ".plt.got") ||
	       is_called(input, shdr, ".iplt");
}

static void take_section(struct gen_input *input, struct sections *sections,
			 const Elf64_Shdr *shdr)
{
	const u64 code = SHF_ALLOC | SHF_EXECINSTR;

	if (shdr->sh_type == SHT_NOBITS)
		return;
	if ((shdr->sh_flags & code) == code)
		input->code_bytes += shdr->sh_size;
	if (is_called(input, shdr, ".eh_frame") && (shdr->sh_flags & SHF_ALLOC)) {
		sections->eh_frame = shdr;
	} else if (is_called(input, shdr, ".debug_frame")) {
		sections->debug_frame = shdr;
		input->packed = shdr->sh_flags & SHF_COMPRESSED ? GEN_PACKED : GEN_PLAIN;
	} else if (is_called(input, shdr, ".zdebug_frame")) {
		sections->debug_frame = shdr;
		input->packed = GEN_PACKED_GNU;
	} else if (is_plt(input, shdr) && input->nr_plts < GEN_MAX_PLTS) {
		input->plts[input->nr_plts].addr = shdr->sh_addr;
		input->plts[input->nr_plts++].size = shdr->sh_size;
	} else if (is_called(input, shdr, ".gopclntab") ||
		   is_called(input, shdr, ".data.rel.ro.gopclntab") ||
		   is_called(input, shdr, ".go.buildinfo")) {
		input->go.is_go = true;
	}
}

/* @most: as read_part() has it */
static u64 size_of(const Elf64_Shdr *shdr, u64 most)
{
	return shdr && shdr->sh_size <= most ? shdr->sh_size : 0;
}

/*
 * Before there is memory for it.  Not for ever: the one in front may be of a server that
 * does not answer.  Return: 0 or -ENOMEM.
 */
static int wait_if_large(struct gen_input *input, const struct sections *sections)
{
	struct timespec until;

	u64 size = size_of(sections->eh_frame, MAX_CFI) + size_of(sections->debug_frame, MAX_CFI);

	/* a part of it, which is not known yet */
	if (input->go.is_go)
		size += input->size;
	/* what is packed, and a segment that is searched, has no size yet */
	input->large = size > LARGE || input->packed != GEN_PLAIN || !sections->eh_frame;
	if (!input->large)
		return 0;
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += MAX_WAIT;
	if (!pthread_mutex_clocklock(&large_lock, CLOCK_MONOTONIC, &until))
		return 0;
	input->large = false;
	return -ENOMEM;
}

static int read_section(struct gen_input *input, const Elf64_Shdr *shdr, u64 most,
			struct gen_bytes *to)
{
	return shdr ? read_part(input, shdr->sh_offset, shdr->sh_size, most, to) : 0;
}

/* From an address to the end of the file's bytes in its segment. */
static int read_segment_part(struct gen_input *input, u64 addr)
{
	for (size_t i = 0; i < input->nr_phdrs; i++) {
		const Elf64_Phdr *phdr = &input->phdrs[i];

		if (phdr->p_type != PT_LOAD || addr < phdr->p_vaddr ||
		    addr - phdr->p_vaddr >= phdr->p_filesz)
			continue;
		input->eh_frame_addr = addr;
		input->ends_at_zero = true;
		return read_part(input, phdr->p_offset + (addr - phdr->p_vaddr),
				 phdr->p_filesz - (addr - phdr->p_vaddr), MAX_CFI,
				 &input->eh_frame);
	}
	return 0;
}

/* Without section headers: by the header that unwinders go by at run time. */
static int read_by_header(struct gen_input *input, const Elf64_Phdr *phdr)
{
	u64 size = phdr->p_filesz < MAX_HEADER ? phdr->p_filesz : MAX_HEADER, addr;
	u8 bytes[MAX_HEADER];
	Elf_Data data = { .d_buf = bytes, .d_size = size };
	struct gen_section section = { .data = &data, .addr = phdr->p_vaddr, .eh_frame = true };
	struct gen_reader reader = {
		.pos = bytes + 4, .end = bytes + size, .big = input->machine->big,
	};

	if (size < 4 || !gen_input_copy(input, phdr->p_offset, bytes, size))
		return 0;
	if (!gen_pointer(&reader, &section, bytes[1], &addr) || reader.bad)
		return 0;
	return read_segment_part(input, addr);
}

static int read_eh_frame(struct gen_input *input, const Elf64_Shdr *shdr)
{
	if (shdr) {
		input->eh_frame_addr = shdr->sh_addr;
		return read_section(input, shdr, MAX_CFI, &input->eh_frame);
	}
	for (size_t i = 0; i < input->nr_phdrs; i++) {
		if (input->phdrs[i].p_type == PT_GNU_EH_FRAME)
			return read_by_header(input, &input->phdrs[i]);
	}
	return 0;
}

/* Return: bytes of code at an address, @size at most. */
static u32 copy_code(const struct gen_input *input, u64 addr, u8 *to, u32 size)
{
	u64 room;

	for (size_t i = 0; i < input->nr_phdrs; i++) {
		const Elf64_Phdr *phdr = &input->phdrs[i];

		if (phdr->p_type != PT_LOAD || !(phdr->p_flags & PF_X) || addr < phdr->p_vaddr ||
		    addr - phdr->p_vaddr >= phdr->p_filesz)
			continue;
		room = phdr->p_filesz - (addr - phdr->p_vaddr);
		if (room < size)
			size = room;
		return gen_input_copy(input, phdr->p_offset + (addr - phdr->p_vaddr), to, size) ?
		       size : 0;
	}
	return 0;
}

/**
 * gen_input_code - read code
 * @input: opened
 * @addr: as in the file's headers
 * @code: out: @size bytes, zeros behind the end of the segment
 * @size: bytes
 *
 * Return: false: there is no code at that address.
 */
bool gen_input_code(const struct gen_input *input, u64 addr, u8 *code, u32 size)
{
	memset(code, 0, size);
	return copy_code(input, addr, code, size);
}

/* Of x86-64: on others a frame pointer is all that there is. */
static int read_go(struct gen_input *input)
{
	if (!input->go.is_go || input->image || input->machine != &gen_x86_64)
		return 0;
	return gen_go_read(&input->go, input->fd);
}

static void read_entry(struct gen_input *input)
{
	input->entry_size = copy_code(input, input->ehdr.e_entry, input->entry,
				      sizeof(input->entry));
}

static int read_all(struct gen_input *input)
{
	struct sections sections = { 0 };
	int ret;

	ret = read_segment_headers(input);
	if (!ret)
		ret = read_section_headers(input);
	if (!ret)
		ret = read_names(input);
	if (ret)
		return ret;
	for (size_t i = 1; i < input->nr_shdrs; i++)
		take_section(input, &sections, &input->shdrs[i]);
	ret = wait_if_large(input, &sections);
	if (!ret)
		ret = read_eh_frame(input, sections.eh_frame);
	if (!ret && !input->go.is_go)
		ret = read_section(input, sections.debug_frame, MAX_CFI, &input->debug_frame);
	if (!ret)
		ret = read_go(input);
	read_entry(input);
	return ret;
}

static int open_input(struct gen_input **input, const struct gen_input *from)
{
	struct gen_input *new = malloc(sizeof(*new));
	int ret;

	if (!new)
		return lw_fail(-ENOMEM, "%s: out of memory", from->name);
	*new = *from;
	ret = read_header(new);
	if (!ret) {
		ret = read_all(new);
		if (ret)
			lw_fail(ret, "%s: no memory for it now", from->name);
	}
	if (ret)
		gen_input_close(new);
	else
		*input = new;
	return ret;
}

/**
 * gen_input_open - read of a file what its tables are made of
 * @input: out: to be closed
 * @fd: open for reading; its position does not matter and stays
 * @name: of it, for messages; stays the caller's
 *
 * Context: any thread that has no other one open.
 * Return: 0; with lw_fail_text(): -ENOEXEC (no ELF file), -EOPNOTSUPP (not of
 * a known machine, or not linked), -ENOMEM.
 */
int gen_input_open(struct gen_input **input, int fd, const char *name)
{
	struct gen_input from = { .fd = fd, .name = name };
	struct stat st;

	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		from.size = st.st_size;
	return open_input(input, &from);
}

/**
 * gen_input_open_memory - read an image
 * @input: out: to be closed
 * @image: all of it; only read
 * @size: its bytes
 * @name: of it, for messages; stays the caller's
 *
 * Return: as gen_input_open().
 */
int gen_input_open_memory(struct gen_input **input, const void *image, size_t size,
			  const char *name)
{
	struct gen_input from = { .fd = -1, .image = image, .size = size, .name = name };

	return open_input(input, &from);
}

/**
 * gen_input_close - forget what was read
 * @input: opened, or NULL
 */
void gen_input_close(struct gen_input *input)
{
	if (!input)
		return;
	free(input->phdrs);
	free(input->shdrs);
	free_bytes(&input->names);
	free_bytes(&input->eh_frame);
	free_bytes(&input->debug_frame);
	lw_go_functions_free(&input->go.functions);
	if (input->large)
		pthread_mutex_unlock(&large_lock);
	free(input);
}
