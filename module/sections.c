// SPDX-License-Identifier: GPL-2.0
/*
 * sections.c - from an address to the SFrame section, or table, that covers it.
 *
 * Without help of libc: the mapped file says, in its program headers
 * (PT_GNU_SFRAME), where the section is.  All is read from the task's memory
 * and nothing from the file itself: reading a file can ask a fanotify listener
 * for leave, which may be the very task that we hold up.
 *
 * What is found is kept for the rest of the walk and no longer: mappings can
 * change whenever the task, or one of its threads, runs user code.  A change in
 * the middle of a walk gives a wrong or a short stack, no more, as everything
 * read is checked again by whoever uses it.  A table that was found is kept by
 * a reference, as walks sleep.
 */
#include <linux/auxvec.h>
#include <linux/elf.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>

#include "arch/arch.h"
#include "registered.h"
#include "sections.h"
#include "unwind.h"

/* binutils include/elf/common.h */
#define PT_GNU_SFRAME	0x6474e554

/* Program headers looked at; ld writes 10 to 15. */
#define MAX_PHDRS	64
/*
 * Linkers put the file's start before the text, in the same distance as in the
 * file (GNU ld) or some pages further (lld: one per segment).
 */
#define MAX_GAP_PAGES	4

/* A mapping as find_code() saw it; with references to file and table. */
struct code {
	u64	start;
	u64	end;
	u64	offset;		/* in the file, in bytes */
	u64	headers;	/* where the file's first byte is mapped, or 0 */
	struct file *file;	/* if there are headers */
	struct lw_file_table *table;	/* or NULL */
	struct lw_table_range range;	/* where it is for */
};

/* What the program headers say of a mapping's file. */
struct layout {
	bool	has_text;
	bool	has_sframe;
	u64	bias;		/* mapped address - p_vaddr */
	u64	text_start;
	u64	text_end;
	u64	sframe_vaddr;
	u64	sframe_size;
};

/**
 * lw_mappings_init - nothing is known yet
 * @mappings: of a walk that begins
 *
 * Context: any.
 */
void lw_mappings_init(struct lw_mappings *mappings)
{
	mappings->nr = 0;
	mappings->last = 0;
	lw_registered_tidy();
}

static unsigned int nr_kept(const struct lw_mappings *mappings)
{
	return min_t(unsigned int, mappings->nr, LW_MAX_MAPPINGS);
}

static void release(struct lw_mapping *mapping)
{
	if (mapping->registered)
		lw_registered_put_quietly(mapping->registered);
	lw_table_put(mapping->table);
	mapping->registered = NULL;
	mapping->table = NULL;
}

/**
 * lw_mappings_release - give back what is held
 * @mappings: of a walk that ends
 *
 * Context: task; does not sleep.
 */
void lw_mappings_release(struct lw_mappings *mappings)
{
	unsigned int i;

	for (i = 0; i < nr_kept(mappings); i++)
		release(&mappings->mapping[i]);
	mappings->nr = 0;
}

static bool maps_start_of(struct vm_area_struct *vma, u64 addr,
			  struct file *file)
{
	return vma && vma->vm_start == addr && !vma->vm_pgoff &&
	       vma->vm_file && file_inode(vma->vm_file) == file_inode(file) &&
	       (vma->vm_flags & VM_READ);
}

/* Where the file's first byte is mapped, or 0. */
static u64 find_headers(struct mm_struct *mm, struct vm_area_struct *text)
{
	u64 offset = (u64)text->vm_pgoff << PAGE_SHIFT;
	unsigned int gap;
	u64 addr;

	for (gap = 0; gap < MAX_GAP_PAGES; gap++) {
		addr = text->vm_start - offset - gap * PAGE_SIZE;
		/* Nothing is below address 0. */
		if (addr > text->vm_start)
			return 0;
		if (maps_start_of(find_vma(mm, addr), addr, text->vm_file))
			return addr;
	}
	return 0;
}

/* Return: 0, or that it can't be had: killed, or exiting and not free now. */
static int lock_mm(struct mm_struct *mm)
{
	if (current->flags & PF_EXITING)
		return !mmap_read_trylock(mm);
	return mmap_read_lock_killable(mm);
}

static int find_code(u64 pc, struct code *code)
{
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;
	int ret = -ENOENT;

	if (lock_mm(mm))
		return -EINTR;
	vma = find_vma(mm, pc);
	if (vma && vma->vm_start <= pc && (vma->vm_flags & VM_EXEC)) {
		*code = (struct code) {
			.start = vma->vm_start,
			.end = vma->vm_end,
			.offset = (u64)vma->vm_pgoff << PAGE_SHIFT,
		};
		if (vma->vm_file)
			code->headers = find_headers(mm, vma);
		/* The reference keeps the inode's address from being reused. */
		if (code->headers)
			code->file = get_file(vma->vm_file);
		code->table = lw_table_get(vma, pc, &code->range);
		ret = 0;
	}
	mmap_read_unlock(mm);
	return ret;
}

static bool is_readable(const struct elf64_hdr *ehdr)
{
	return !memcmp(ehdr->e_ident, ELFMAG, SELFMAG) &&
	       ehdr->e_ident[EI_CLASS] == ELFCLASS64 &&
	       ehdr->e_ident[EI_DATA] == ELF_DATA &&
	       ehdr->e_machine == LW_ARCH_ELF_MACHINE &&
	       ehdr->e_phentsize == sizeof(struct elf64_phdr) &&
	       ehdr->e_phnum <= MAX_PHDRS;
}

/* The segment that this mapping is made from gives the bias. */
static void note_load(struct layout *layout, const struct elf64_phdr *phdr,
		      const struct code *code)
{
	u64 end;

	if (layout->has_text || !(phdr->p_flags & PF_X) ||
	    check_add_overflow(phdr->p_offset, phdr->p_filesz, &end) ||
	    code->offset >= end ||
	    code->offset < round_down(phdr->p_offset, PAGE_SIZE))
		return;
	layout->bias = code->start - code->offset + phdr->p_offset -
		       phdr->p_vaddr;
	layout->text_start = layout->bias + phdr->p_vaddr;
	layout->text_end = layout->text_start + phdr->p_memsz;
	layout->has_text = layout->text_end > layout->text_start;
}

static void note_phdr(struct layout *layout, const struct elf64_phdr *phdr,
		      const struct code *code)
{
	if (phdr->p_type == PT_LOAD) {
		note_load(layout, phdr, code);
	} else if (phdr->p_type == PT_GNU_SFRAME) {
		layout->has_sframe = true;
		layout->sframe_vaddr = phdr->p_vaddr;
		layout->sframe_size = phdr->p_filesz;
	}
}

/* Return: 0, -EFAULT, or -ENOENT if there is nothing for us. */
static int read_layout(struct lw_mappings *mappings, const struct code *code,
		       struct layout *layout)
{
	struct elf64_phdr *phdrs = mappings->phdrs;
	unsigned int done, nr, i;
	struct elf64_hdr ehdr;

	if (lw_unwind_read(&ehdr, code->headers, sizeof(ehdr)))
		return -EFAULT;
	if (!is_readable(&ehdr))
		return -ENOENT;
	for (done = 0; done < ehdr.e_phnum; done += nr) {
		nr = min_t(unsigned int, ehdr.e_phnum - done, LW_PHDRS_AT_ONCE);
		if (lw_unwind_read(phdrs, code->headers + ehdr.e_phoff +
				   done * sizeof(*phdrs), nr * sizeof(*phdrs)))
			return -EFAULT;
		for (i = 0; i < nr; i++)
			note_phdr(layout, &phdrs[i], code);
	}
	return layout->has_text && layout->has_sframe ? 0 : -ENOENT;
}

/*
 * Where the program began, or 0.  Not of any file: the e_entry of a library
 * may be a mere function.
 */
static u64 program_entry(void)
{
	const unsigned long *auxv = current->mm->saved_auxv;
	unsigned int i;

	for (i = 0; i + 1 < AT_VECTOR_SIZE && READ_ONCE(auxv[i]) != AT_NULL;
	     i += 2)
		if (READ_ONCE(auxv[i]) == AT_ENTRY)
			return READ_ONCE(auxv[i + 1]);
	return 0;
}

/*
 * Bytes of the section that lie in one readable mapping of the same file that
 * the task can't write to.  The header's size may be larger than the section.
 */
static u64 section_size(const struct code *code, u64 addr, u64 size)
{
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;
	u64 have = 0;

	if (lock_mm(mm))
		return 0;
	vma = find_vma(mm, addr);
	if (vma && vma->vm_start <= addr && vma->vm_file &&
	    file_inode(vma->vm_file) == file_inode(code->file) &&
	    (vma->vm_flags & VM_READ) && !(vma->vm_flags & VM_WRITE))
		have = min(size, vma->vm_end - addr);
	mmap_read_unlock(mm);
	return have;
}

static int read_section(const struct lw_sframe_source *src, void *dst, u64 off,
			u32 len)
{
	const struct lw_user_source *user =
		container_of(src, struct lw_user_source, src);

	return lw_unwind_read(dst, user->addr + off, len);
}

/* Return: 0, also if there is none; -errno if that could not be seen. */
static int open_section(struct lw_mappings *mappings, struct lw_mapping *to,
			const struct code *code)
{
	struct lw_sframe_place place;
	struct layout layout = {};
	int ret;

	ret = read_layout(mappings, code, &layout);
	if (ret)
		return ret == -ENOENT ? 0 : ret;
	place = (struct lw_sframe_place) {
		.addr = layout.bias + layout.sframe_vaddr,
		.text_start = layout.text_start,
		.text_end = layout.text_end,
		.entry = program_entry(),
	};
	to->source.addr = place.addr;
	to->source.src.read = read_section;
	to->source.src.size = section_size(code, place.addr,
					   layout.sframe_size);
	if (!to->source.src.size)
		return 0;
	ret = lw_sframe_open(&to->sframe, &to->source.src, &place,
			     LW_ARCH_SFRAME_ABI);
	to->has_sframe = ret == LW_SFRAME_OK;
	return min(ret, 0);
}

static struct lw_mapping *find_known(struct lw_mappings *mappings, u64 pc)
{
	unsigned int have = nr_kept(mappings);
	unsigned int i;

	for (i = 0; i < have; i++) {
		unsigned int at = (mappings->last + i) % have;
		struct lw_mapping *mapping = &mappings->mapping[at];

		if (pc >= mapping->start && pc < mapping->end) {
			mappings->last = at;
			return mapping;
		}
	}
	return NULL;
}

/* By number: that of one that could not be looked at, of none yet, or of the oldest. */
static unsigned int choose_place(struct lw_mappings *mappings)
{
	unsigned int i;

	for (i = 0; i < nr_kept(mappings); i++)
		if (mappings->mapping[i].start == mappings->mapping[i].end)
			return i;
	return mappings->nr++ % LW_MAX_MAPPINGS;
}

static struct lw_mapping *new_mapping(struct lw_mappings *mappings)
{
	unsigned int had = nr_kept(mappings);

	mappings->last = choose_place(mappings);
	if (mappings->last < had)
		release(&mappings->mapping[mappings->last]);
	return &mappings->mapping[mappings->last];
}

/* Takes over the table of @code. */
static void fill_mapping(struct lw_mapping *mapping, const struct code *code)
{
	u64 bias = code->range.bias;

	*mapping = (struct lw_mapping) {
		.start = code->range.start,
		.end = code->range.end,
		.table = code->table,
		.table_bias = bias,
	};
	if (code->table)
		lw_table_open(code->table, program_entry() - bias, &mapping->table_sframe);
}

/**
 * lw_mapping_find - the executable mapping of current around an address
 * @mappings: of this walk
 * @pc: address
 *
 * Context: as lw_unwind().
 * Return: the mapping, good until the next call; ERR_PTR(-ENOENT) if there is
 * no code, ERR_PTR(-EINTR) if the task is being killed.
 */
const struct lw_mapping *lw_mapping_find(struct lw_mappings *mappings, u64 pc)
{
	struct lw_mapping *mapping = find_known(mappings, pc);
	struct code code = {};
	int ret;

	if (mapping)
		return mapping;
	ret = find_code(pc, &code);
	if (ret)
		return ERR_PTR(ret);
	mapping = new_mapping(mappings);
	fill_mapping(mapping, &code);
	mapping->registered = lw_registry_find(pc, &mapping->start,
					       &mapping->end);
	if (code.file) {
		ret = open_section(mappings, mapping, &code);
		fput(code.file);
		/* A page that is not there says nothing: look again next time. */
		if (ret)
			mapping->end = mapping->start;
	}
	return mapping;
}
