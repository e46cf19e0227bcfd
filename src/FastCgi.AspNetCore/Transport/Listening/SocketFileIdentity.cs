namespace FastCgi.AspNetCore.Transport.Listening;

/// <summary>Which file a path leads to, beyond its name: device and inode, and whether it is a socket.</summary>
internal readonly record struct SocketFileIdentity(ulong Device, ulong Inode, bool IsSocket);
