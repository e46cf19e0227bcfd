namespace FastCgi.AspNetCore.Transport.Listening;

/// <summary>The path of a unix socket, as in the options.</summary>
internal static class UnixSocketPath
{
    /// <summary>True if the socket has no file because it is in Linux's abstract namespace.</summary>
    public static bool IsAbstract([NotNullWhen(true)] EndPoint? endPoint) =>
        endPoint is UnixDomainSocketEndPoint && endPoint.ToString() is ['@' or '\0', ..];

    /// <param name="socketPath">Absolute, or abstract if it begins with NUL.</param>
    /// <exception cref="ArgumentException">The path is relative, or too long for the system.</exception>
    public static UnixDomainSocketEndPoint Parse(string socketPath)
    {
        if (!Path.IsPathRooted(socketPath) && socketPath[0] != '\0')
        {
            throw new ArgumentException($"The unix socket path '{socketPath}' must be absolute.", nameof(socketPath));
        }

        try
        {
            return new UnixDomainSocketEndPoint(socketPath);
        }
        catch (ArgumentOutOfRangeException exception)
        {
            throw new ArgumentException(
                $"The unix socket path '{socketPath}' has {Encoding.UTF8.GetByteCount(socketPath)} bytes and is " +
                "longer than the system allows (Linux: 107). Use a directory closer to the root, such as /run/app.",
                nameof(socketPath),
                exception);
        }
    }
}
