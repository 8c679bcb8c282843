// SPDX-License-Identifier: GPL-2.0
/*
 * syscall_flags.c - names of the values that arguments of system calls have.
 *
 * The values are the headers'; those that the kernel has and libc hides, or that
 * older headers lack, are written out.
 */
#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/openat2.h>
#include <linux/falloc.h>
#include <linux/fs.h>
#include <linux/futex.h>
#include <linux/net.h>
#include <linux/netlink.h>
#include <linux/prctl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "trace/syscall_flags.h"

#define N(value)	{ value, #value }
#define V(name, value)	{ value, #name }
#define NAMES(list, unknown)						\
	const struct lw_names lw_names_##list = {			\
		list##_names, ARRAY_SIZE(list##_names), unknown,	\
	}

static const struct lw_name access_names[] = {
	N(R_OK), N(W_OK), N(X_OK),
};

NAMES(access, "?_OK");

static const struct lw_name at_names[] = {
	N(AT_SYMLINK_NOFOLLOW), N(AT_REMOVEDIR), N(AT_SYMLINK_FOLLOW), N(AT_NO_AUTOMOUNT),
	N(AT_EMPTY_PATH),
};

NAMES(at, "AT_???");

static const struct lw_name access_at_names[] = {
	N(AT_SYMLINK_NOFOLLOW), N(AT_EACCESS), N(AT_EMPTY_PATH),
};

NAMES(access_at, "AT_???");

static const struct lw_name statx_at_names[] = {
	N(AT_STATX_FORCE_SYNC), N(AT_STATX_DONT_SYNC), N(AT_SYMLINK_NOFOLLOW),
	N(AT_REMOVEDIR), N(AT_SYMLINK_FOLLOW), N(AT_NO_AUTOMOUNT), N(AT_EMPTY_PATH),
};

NAMES(statx_at, "AT_???");

static const struct lw_name statx_mask_names[] = {
	N(STATX_ALL), N(STATX_BASIC_STATS), N(STATX_TYPE), N(STATX_MODE), N(STATX_NLINK),
	N(STATX_UID), N(STATX_GID), N(STATX_ATIME), N(STATX_MTIME), N(STATX_CTIME),
	N(STATX_INO), N(STATX_SIZE), N(STATX_BLOCKS), N(STATX_BTIME), N(STATX_MNT_ID),
};

NAMES(statx_mask, "STATX_???");

static const struct lw_name whence_names[] = {
	N(SEEK_SET), N(SEEK_CUR), N(SEEK_END), N(SEEK_DATA), N(SEEK_HOLE),
};

NAMES(whence, "SEEK_???");

static const struct lw_name prot_names[] = {
	N(PROT_NONE), N(PROT_READ), N(PROT_WRITE), N(PROT_EXEC), V(PROT_SEM, 0x8),
	N(PROT_GROWSDOWN), N(PROT_GROWSUP),
};

NAMES(prot, "PROT_???");

static const struct lw_name mmap_type_names[] = {
	N(MAP_FILE), N(MAP_SHARED), N(MAP_PRIVATE), N(MAP_SHARED_VALIDATE),
	V(MAP_DROPPABLE, 0x8),
};

NAMES(mmap_type, "MAP_???");

static const struct lw_name mmap_names[] = {
	N(MAP_FIXED), N(MAP_ANONYMOUS), V(MAP_32BIT, 0x40), N(MAP_NORESERVE),
	N(MAP_POPULATE), N(MAP_NONBLOCK), N(MAP_GROWSDOWN), N(MAP_DENYWRITE),
	N(MAP_EXECUTABLE), N(MAP_LOCKED), N(MAP_STACK), N(MAP_HUGETLB), N(MAP_SYNC),
	N(MAP_FIXED_NOREPLACE),
};

NAMES(mmap, "MAP_???");

static const struct lw_name mremap_names[] = {
	N(MREMAP_MAYMOVE), N(MREMAP_FIXED), V(MREMAP_DONTUNMAP, 0x4),
};

NAMES(mremap, "MREMAP_???");

static const struct lw_name madvise_names[] = {
	N(MADV_NORMAL), N(MADV_RANDOM), N(MADV_SEQUENTIAL), N(MADV_WILLNEED),
	N(MADV_DONTNEED), N(MADV_FREE), N(MADV_REMOVE), N(MADV_DONTFORK), N(MADV_DOFORK),
	N(MADV_MERGEABLE), N(MADV_UNMERGEABLE), N(MADV_HUGEPAGE), N(MADV_NOHUGEPAGE),
	N(MADV_DONTDUMP), N(MADV_DODUMP), N(MADV_WIPEONFORK), N(MADV_KEEPONFORK),
	V(MADV_COLD, 20), V(MADV_PAGEOUT, 21), V(MADV_POPULATE_READ, 22),
	V(MADV_POPULATE_WRITE, 23),
};

NAMES(madvise, "MADV_???");

static const struct lw_name msync_names[] = {
	N(MS_ASYNC), N(MS_INVALIDATE), N(MS_SYNC),
};

NAMES(msync, "MS_???");

static const struct lw_name poll_names[] = {
	N(POLLIN), N(POLLPRI), N(POLLOUT), N(POLLERR), N(POLLHUP), N(POLLNVAL),
	N(POLLRDNORM), N(POLLRDBAND), N(POLLWRNORM), N(POLLWRBAND), N(POLLMSG),
	N(POLLREMOVE), N(POLLRDHUP),
};

NAMES(poll, "POLL???");

static const struct lw_name family_names[] = {
	N(AF_UNSPEC), N(AF_UNIX), N(AF_INET), N(AF_AX25), N(AF_IPX), N(AF_APPLETALK),
	N(AF_X25), N(AF_INET6), N(AF_KEY), N(AF_NETLINK), N(AF_PACKET), N(AF_TIPC),
	N(AF_BLUETOOTH), N(AF_ALG), N(AF_VSOCK), V(AF_XDP, 44),
};

NAMES(family, "AF_???");

static const struct lw_name sock_type_names[] = {
	N(SOCK_STREAM), N(SOCK_DGRAM), N(SOCK_RAW), N(SOCK_RDM), N(SOCK_SEQPACKET),
	N(SOCK_DCCP), N(SOCK_PACKET),
};

NAMES(sock_type, "SOCK_???");

static const struct lw_name sock_flags_names[] = {
	N(SOCK_CLOEXEC), N(SOCK_NONBLOCK),
};

NAMES(sock_flags, "SOCK_???");

static const struct lw_name protocol_names[] = {
	N(IPPROTO_IP), N(IPPROTO_ICMP), N(IPPROTO_IGMP), N(IPPROTO_TCP), N(IPPROTO_UDP),
	N(IPPROTO_IPV6), N(IPPROTO_GRE), N(IPPROTO_ICMPV6), N(IPPROTO_SCTP),
	N(IPPROTO_UDPLITE), N(IPPROTO_RAW),
};

NAMES(protocol, "IPPROTO_???");

static const struct lw_name netlink_names[] = {
	N(NETLINK_ROUTE), N(NETLINK_UNUSED), N(NETLINK_USERSOCK), N(NETLINK_FIREWALL),
	N(NETLINK_SOCK_DIAG), N(NETLINK_NFLOG), N(NETLINK_XFRM), N(NETLINK_SELINUX),
	N(NETLINK_ISCSI), N(NETLINK_AUDIT), N(NETLINK_CONNECTOR), N(NETLINK_NETFILTER),
	N(NETLINK_KOBJECT_UEVENT), N(NETLINK_GENERIC), N(NETLINK_CRYPTO),
};

NAMES(netlink, "NETLINK_???");

static const struct lw_name msg_names[] = {
	N(MSG_OOB), N(MSG_PEEK), N(MSG_DONTROUTE), N(MSG_CTRUNC), N(MSG_PROXY),
	N(MSG_TRUNC), N(MSG_DONTWAIT), N(MSG_EOR), N(MSG_WAITALL), N(MSG_FIN), N(MSG_SYN),
	N(MSG_CONFIRM), N(MSG_RST), N(MSG_ERRQUEUE), N(MSG_NOSIGNAL), N(MSG_MORE),
	N(MSG_WAITFORONE), V(MSG_BATCH, 0x40000), N(MSG_ZEROCOPY), N(MSG_FASTOPEN),
	N(MSG_CMSG_CLOEXEC),
};

NAMES(msg, "MSG_???");

static const struct lw_name shutdown_names[] = {
	N(SHUT_RD), N(SHUT_WR), N(SHUT_RDWR),
};

NAMES(shutdown, "SHUT_???");

static const struct lw_name socketcall_names[] = {
	N(SYS_SOCKET), N(SYS_BIND), N(SYS_CONNECT), N(SYS_LISTEN), N(SYS_ACCEPT),
	N(SYS_GETSOCKNAME), N(SYS_GETPEERNAME), N(SYS_SOCKETPAIR), N(SYS_SEND), N(SYS_RECV),
	N(SYS_SENDTO), N(SYS_RECVFROM), N(SYS_SHUTDOWN), N(SYS_SETSOCKOPT), N(SYS_GETSOCKOPT),
	N(SYS_SENDMSG), N(SYS_RECVMSG), N(SYS_ACCEPT4), N(SYS_RECVMMSG), N(SYS_SENDMMSG),
};

NAMES(socketcall, "SYS_???");

static const struct lw_name sol_names[] = {
	N(SOL_IP), N(SOL_SOCKET), N(SOL_TCP), V(SOL_UDP, 17), N(SOL_IPV6), N(SOL_RAW),
	N(SOL_PACKET), N(SOL_NETLINK),
};

NAMES(sol, "SOL_???");

static const struct lw_name so_names[] = {
	N(SO_DEBUG), N(SO_REUSEADDR), N(SO_TYPE), N(SO_ERROR), N(SO_DONTROUTE),
	N(SO_BROADCAST), N(SO_SNDBUF), N(SO_RCVBUF), N(SO_KEEPALIVE), N(SO_OOBINLINE),
	N(SO_NO_CHECK), N(SO_PRIORITY), N(SO_LINGER), N(SO_BSDCOMPAT), N(SO_REUSEPORT),
	N(SO_PASSCRED), N(SO_PEERCRED), N(SO_RCVLOWAT), N(SO_SNDLOWAT), N(SO_BINDTODEVICE),
	N(SO_ATTACH_FILTER), N(SO_DETACH_FILTER), N(SO_PEERNAME), N(SO_ACCEPTCONN),
	N(SO_PEERSEC), N(SO_SNDBUFFORCE), N(SO_RCVBUFFORCE), N(SO_PASSSEC), N(SO_MARK),
	N(SO_PROTOCOL), N(SO_DOMAIN), V(SO_RCVTIMEO_OLD, 20), V(SO_SNDTIMEO_OLD, 21),
	V(SO_TIMESTAMP_OLD, 29), V(SO_PEERGROUPS, 59),
};

NAMES(so, "SO_???");

static const struct lw_name tcp_names[] = {
	N(TCP_NODELAY), N(TCP_MAXSEG), N(TCP_CORK), N(TCP_KEEPIDLE), N(TCP_KEEPINTVL),
	N(TCP_KEEPCNT), N(TCP_SYNCNT), N(TCP_LINGER2), N(TCP_DEFER_ACCEPT),
	N(TCP_WINDOW_CLAMP), N(TCP_INFO), N(TCP_QUICKACK), N(TCP_CONGESTION),
	N(TCP_USER_TIMEOUT), N(TCP_FASTOPEN),
};

NAMES(tcp, "TCP_???");

static const struct lw_name fd_flags_names[] = {
	N(FD_CLOEXEC),
};

NAMES(fd_flags, "FD_???");

static const struct lw_name fcntl_names[] = {
	N(F_DUPFD), N(F_GETFD), N(F_SETFD), N(F_GETFL), N(F_SETFL), N(F_GETLK), N(F_SETLK),
	N(F_SETLKW), N(F_SETOWN), N(F_GETOWN), N(F_SETSIG), N(F_GETSIG), N(F_SETOWN_EX),
	N(F_GETOWN_EX), N(F_OFD_GETLK), N(F_OFD_SETLK), N(F_OFD_SETLKW), N(F_SETLEASE),
	N(F_GETLEASE), N(F_NOTIFY), N(F_DUPFD_CLOEXEC), N(F_SETPIPE_SZ), N(F_GETPIPE_SZ),
	N(F_ADD_SEALS), N(F_GET_SEALS),
};

NAMES(fcntl, "F_???");

static const struct lw_name file_type_names[] = {
	N(S_IFREG), N(S_IFDIR), N(S_IFCHR), N(S_IFBLK), N(S_IFIFO), N(S_IFLNK),
	N(S_IFSOCK),
};

NAMES(file_type, "S_IF???");

static const struct lw_name clone_names[] = {
	N(CLONE_NEWTIME), N(CLONE_VM), N(CLONE_FS), N(CLONE_FILES), N(CLONE_SIGHAND),
	N(CLONE_PIDFD), N(CLONE_PTRACE), N(CLONE_VFORK), N(CLONE_PARENT), N(CLONE_THREAD),
	N(CLONE_NEWNS), N(CLONE_SYSVSEM), N(CLONE_SETTLS), N(CLONE_PARENT_SETTID),
	N(CLONE_CHILD_CLEARTID), N(CLONE_DETACHED), N(CLONE_UNTRACED),
	N(CLONE_CHILD_SETTID), N(CLONE_NEWCGROUP), N(CLONE_NEWUTS), N(CLONE_NEWIPC),
	N(CLONE_NEWUSER), N(CLONE_NEWPID), N(CLONE_NEWNET), N(CLONE_IO),
	V(CLONE_CLEAR_SIGHAND, 0x100000000ULL), V(CLONE_INTO_CGROUP, 0x200000000ULL),
};

NAMES(clone, "CLONE_???");

static const struct lw_name wait_names[] = {
	N(WNOHANG), N(WSTOPPED), N(WEXITED), N(WCONTINUED), N(WNOWAIT), N(__WCLONE),
	N(__WALL), N(__WNOTHREAD),
};

NAMES(wait, "W???");

static const struct lw_name id_type_names[] = {
	N(P_ALL), N(P_PID), N(P_PGID), V(P_PIDFD, 3),
};

NAMES(id_type, "P_???");

static const struct lw_name sighow_names[] = {
	N(SIG_BLOCK), N(SIG_UNBLOCK), N(SIG_SETMASK),
};

NAMES(sighow, "SIG_???");

static const struct lw_name sa_names[] = {
	V(SA_RESTORER, 0x04000000), N(SA_ONSTACK), N(SA_RESTART), N(SA_NODEFER),
	N(SA_RESETHAND), N(SA_NOCLDSTOP), N(SA_NOCLDWAIT), N(SA_SIGINFO),
};

NAMES(sa, "SA_???");

static const struct lw_name handler_names[] = {
	V(SIG_DFL, 0), V(SIG_IGN, 1), V(SIG_ERR, ~0ULL),
};

NAMES(handler, "SIG_???");

static const struct lw_name clock_names[] = {
	N(CLOCK_REALTIME), N(CLOCK_MONOTONIC), N(CLOCK_PROCESS_CPUTIME_ID),
	N(CLOCK_THREAD_CPUTIME_ID), N(CLOCK_MONOTONIC_RAW), N(CLOCK_REALTIME_COARSE),
	N(CLOCK_MONOTONIC_COARSE), N(CLOCK_BOOTTIME), N(CLOCK_REALTIME_ALARM),
	N(CLOCK_BOOTTIME_ALARM), N(CLOCK_TAI),
};

NAMES(clock, "CLOCK_???");

static const struct lw_name rlimit_names[] = {
	N(RLIMIT_CPU), N(RLIMIT_FSIZE), N(RLIMIT_DATA), N(RLIMIT_STACK), N(RLIMIT_CORE),
	N(RLIMIT_RSS), N(RLIMIT_NPROC), N(RLIMIT_NOFILE), N(RLIMIT_MEMLOCK), N(RLIMIT_AS),
	V(RLIMIT_LOCKS, 10), V(RLIMIT_SIGPENDING, 11), V(RLIMIT_MSGQUEUE, 12),
	V(RLIMIT_NICE, 13), V(RLIMIT_RTPRIO, 14), V(RLIMIT_RTTIME, 15),
};

NAMES(rlimit, "RLIMIT_???");

static const struct lw_name priority_names[] = {
	N(PRIO_PROCESS), N(PRIO_PGRP), N(PRIO_USER),
};

NAMES(priority, "PRIO_???");

static const struct lw_name rusage_names[] = {
	N(RUSAGE_SELF), V(RUSAGE_CHILDREN, 0xffffffff), N(RUSAGE_THREAD),
};

NAMES(rusage, "RUSAGE_???");

static const struct lw_name futex_names[] = {
	N(FUTEX_WAIT), N(FUTEX_WAKE), N(FUTEX_FD), N(FUTEX_REQUEUE), N(FUTEX_CMP_REQUEUE),
	N(FUTEX_WAKE_OP), N(FUTEX_LOCK_PI), N(FUTEX_UNLOCK_PI), N(FUTEX_TRYLOCK_PI),
	N(FUTEX_WAIT_BITSET), N(FUTEX_WAKE_BITSET), N(FUTEX_WAIT_REQUEUE_PI),
	N(FUTEX_CMP_REQUEUE_PI), V(FUTEX_LOCK_PI2, 13),
};

NAMES(futex, "FUTEX_???");

static const struct lw_name arch_prctl_names[] = {
	V(ARCH_SET_GS, 0x1001), V(ARCH_SET_FS, 0x1002), V(ARCH_GET_FS, 0x1003),
	V(ARCH_GET_GS, 0x1004),
	V(ARCH_GET_CPUID, 0x1011), V(ARCH_SET_CPUID, 0x1012),
	V(ARCH_GET_XCOMP_SUPP, 0x1021), V(ARCH_GET_XCOMP_PERM, 0x1022),
	V(ARCH_REQ_XCOMP_PERM, 0x1023), V(ARCH_MAP_VDSO_X32, 0x2001),
	V(ARCH_MAP_VDSO_32, 0x2002), V(ARCH_MAP_VDSO_64, 0x2003),
	V(ARCH_SHSTK_ENABLE, 0x5001), V(ARCH_SHSTK_DISABLE, 0x5002),
	V(ARCH_SHSTK_LOCK, 0x5003), V(ARCH_SHSTK_UNLOCK, 0x5004),
	V(ARCH_SHSTK_STATUS, 0x5005),
};

NAMES(arch_prctl, "ARCH_???");

static const struct lw_name prctl_names[] = {
	N(PR_SET_PDEATHSIG), N(PR_GET_PDEATHSIG), N(PR_GET_DUMPABLE), N(PR_SET_DUMPABLE),
	N(PR_GET_UNALIGN), N(PR_SET_UNALIGN), N(PR_GET_KEEPCAPS), N(PR_SET_KEEPCAPS),
	N(PR_GET_TIMING), N(PR_SET_TIMING), N(PR_SET_NAME), N(PR_GET_NAME),
	N(PR_GET_SECCOMP), N(PR_SET_SECCOMP), N(PR_CAPBSET_READ), N(PR_CAPBSET_DROP),
	N(PR_GET_TSC), N(PR_SET_TSC), N(PR_GET_SECUREBITS), N(PR_SET_SECUREBITS),
	N(PR_SET_TIMERSLACK), N(PR_GET_TIMERSLACK), N(PR_SET_MM),
	N(PR_SET_CHILD_SUBREAPER), N(PR_GET_CHILD_SUBREAPER), N(PR_SET_NO_NEW_PRIVS),
	N(PR_GET_NO_NEW_PRIVS), N(PR_GET_TID_ADDRESS), N(PR_SET_THP_DISABLE),
	N(PR_GET_THP_DISABLE), N(PR_CAP_AMBIENT), V(PR_SET_SPECULATION_CTRL, 53),
	V(PR_GET_SPECULATION_CTRL, 52), V(PR_SET_VMA, 0x53564d41),
	V(PR_SET_PTRACER, 0x59616d61),
};

NAMES(prctl, "PR_???");

static const struct lw_name epoll_op_names[] = {
	N(EPOLL_CTL_ADD), N(EPOLL_CTL_DEL), N(EPOLL_CTL_MOD),
};

NAMES(epoll_op, "EPOLL_CTL_???");

static const struct lw_name epoll_names[] = {
	N(EPOLLIN), N(EPOLLPRI), N(EPOLLOUT), N(EPOLLERR), N(EPOLLHUP), N(EPOLLRDNORM),
	N(EPOLLRDBAND), N(EPOLLWRNORM), N(EPOLLWRBAND), N(EPOLLMSG), N(EPOLLRDHUP),
	N(EPOLLEXCLUSIVE), N(EPOLLWAKEUP), N(EPOLLONESHOT), N(EPOLLET),
};

NAMES(epoll, "EPOLL???");

static const struct lw_name epoll_create_names[] = {
	N(EPOLL_CLOEXEC),
};

NAMES(epoll_create, "EPOLL_???");

static const struct lw_name random_names[] = {
	N(GRND_NONBLOCK), N(GRND_RANDOM), V(GRND_INSECURE, 4),
};

NAMES(random, "GRND_???");

static const struct lw_name rename_names[] = {
	N(RENAME_NOREPLACE), N(RENAME_EXCHANGE), N(RENAME_WHITEOUT),
};

NAMES(rename, "RENAME_???");

static const struct lw_name ioctl_names[] = {
	N(TCGETS), N(TCSETS), N(TCSETSW), N(TCSETSF), N(TCGETA), N(TCSBRK), N(TCXONC),
	N(TCFLSH), N(TIOCEXCL), N(TIOCNXCL), N(TIOCSCTTY), N(TIOCGPGRP), N(TIOCSPGRP),
	N(TIOCOUTQ), N(TIOCSTI), N(TIOCGWINSZ), N(TIOCSWINSZ), N(TIOCMGET), N(FIONREAD),
	N(FIONBIO), N(FIOCLEX), N(FIONCLEX), N(FIOASYNC), N(TIOCNOTTY), N(TIOCGSID),
	N(TIOCGPTN), N(TIOCSPTLCK), N(TIOCGPTPEER), N(SIOCGIFCONF), N(SIOCGIFFLAGS),
	N(SIOCGIFINDEX), N(SIOCGIFNAME), N(SIOCGIFADDR), N(FICLONE), N(FS_IOC_GETFLAGS),
	N(FS_IOC_SETFLAGS),
};

NAMES(ioctl, "");

static const struct lw_name memfd_names[] = {
	N(MFD_CLOEXEC), N(MFD_ALLOW_SEALING), N(MFD_HUGETLB),
};

NAMES(memfd, "MFD_???");

static const struct lw_name eventfd_names[] = {
	N(EFD_SEMAPHORE), N(EFD_CLOEXEC), N(EFD_NONBLOCK),
};

NAMES(eventfd, "EFD_???");

static const struct lw_name timerfd_names[] = {
	N(TFD_CLOEXEC), N(TFD_NONBLOCK),
};

NAMES(timerfd, "TFD_???");

static const struct lw_name timer_names[] = {
	N(TIMER_ABSTIME),
};

NAMES(timer, "TIMER_???");

static const struct lw_name inotify_names[] = {
	N(IN_CLOEXEC), N(IN_NONBLOCK),
};

NAMES(inotify, "IN_???");

static const struct lw_name fadvise_names[] = {
	N(POSIX_FADV_NORMAL), N(POSIX_FADV_RANDOM), N(POSIX_FADV_SEQUENTIAL),
	N(POSIX_FADV_WILLNEED), N(POSIX_FADV_DONTNEED), N(POSIX_FADV_NOREUSE),
};

NAMES(fadvise, "POSIX_FADV_???");

static const struct lw_name flock_names[] = {
	N(LOCK_SH), N(LOCK_EX), N(LOCK_UN), N(LOCK_NB),
};

NAMES(flock, "LOCK_???");

static const struct lw_name lock_type_names[] = {
	N(F_RDLCK), N(F_WRLCK), N(F_UNLCK),
};

NAMES(lock_type, "F_???");

static const struct lw_name close_range_names[] = {
	V(CLOSE_RANGE_UNSHARE, 2), V(CLOSE_RANGE_CLOEXEC, 4),
};

NAMES(close_range, "CLOSE_RANGE_???");

static const struct lw_name resolve_names[] = {
	N(RESOLVE_NO_XDEV), N(RESOLVE_NO_MAGICLINKS), N(RESOLVE_NO_SYMLINKS),
	N(RESOLVE_BENEATH), N(RESOLVE_IN_ROOT), N(RESOLVE_CACHED),
};

NAMES(resolve, "RESOLVE_???");

static const struct lw_name fallocate_names[] = {
	N(FALLOC_FL_KEEP_SIZE), N(FALLOC_FL_PUNCH_HOLE), N(FALLOC_FL_COLLAPSE_RANGE),
	N(FALLOC_FL_ZERO_RANGE), N(FALLOC_FL_INSERT_RANGE), N(FALLOC_FL_UNSHARE_RANGE),
};

NAMES(fallocate, "FALLOC_FL_???");

static const struct lw_name dup3_names[] = {
	N(O_CLOEXEC),
};

NAMES(dup3, "O_???");

static const struct lw_name open_names[] = {
	N(O_CREAT), N(O_EXCL), N(O_NOCTTY), N(O_TRUNC), N(O_APPEND), N(O_NONBLOCK),
	N(O_SYNC), N(O_DSYNC), N(O_DIRECT), V(O_LARGEFILE, 0100000), N(O_NOFOLLOW),
	N(O_NOATIME), N(O_CLOEXEC), N(O_PATH), N(O_TMPFILE), N(O_DIRECTORY),
	V(FASYNC, 020000), V(__O_TMPFILE, O_TMPFILE & ~O_DIRECTORY),
};

NAMES(open, "O_???");

static const struct lw_name signal_names[] = {
	N(SIGHUP), N(SIGINT), N(SIGQUIT), N(SIGILL), N(SIGTRAP), N(SIGABRT), N(SIGBUS),
	N(SIGFPE), N(SIGKILL), N(SIGUSR1), N(SIGSEGV), N(SIGUSR2), N(SIGPIPE), N(SIGALRM),
	N(SIGTERM), N(SIGSTKFLT), N(SIGCHLD), N(SIGCONT), N(SIGSTOP), N(SIGTSTP),
	N(SIGTTIN), N(SIGTTOU), N(SIGURG), N(SIGXCPU), N(SIGXFSZ), N(SIGVTALRM),
	N(SIGPROF), N(SIGWINCH), N(SIGIO), N(SIGPWR), N(SIGSYS), V(SIGRTMIN, 32),
};

NAMES(signal, "");

static const struct lw_name errno_names[] = {
	V(ERESTARTSYS, 512), V(ERESTARTNOINTR, 513), V(ERESTARTNOHAND, 514),
	V(ERESTART_RESTARTBLOCK, 516),
};

NAMES(errno, "");

/**
 * lw_name_of - the name of one value
 * @names: where to look
 * @value: which
 *
 * Return: its name or NULL.
 */
const char *lw_name_of(const struct lw_names *names, u64 value)
{
	for (u32 i = 0; i < names->nr; i++) {
		if (names->names[i].value == value)
			return names->names[i].name;
	}
	return NULL;
}
