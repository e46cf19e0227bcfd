using System.ComponentModel;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace FastCgi.WebServerKit;

/// <summary>How a process gets a listening socket that another one made.</summary>
public enum ListenerHandover
{
    /// <summary>As descriptor 3, announced by LISTEN_FDS and LISTEN_PID.</summary>
    Systemd,

    /// <summary>As descriptor 0, announced by nothing (FastCGI 1.0, section 2.2).</summary>
    SpawnFcgi,
}

/// <summary>
/// A listening unix socket that outlives the applications behind it, as systemd holds it: each of them gets it when
/// it starts, and what connects meanwhile waits in its backlog.
/// </summary>
internal sealed partial class InheritedListener : IDisposable
{
    /// <summary>The mode of its file.</summary>
    public const UnixFileMode Mode = UnixFileMode.UserRead | UnixFileMode.UserWrite;

    private const int Backlog = 512;
    private const int Duplicate = 0;

    /// <summary>Beyond the descriptors that the shell uses itself.</summary>
    private const int LowestDuplicate = 100;

    private readonly WorkDirectory _directory = new();
    private readonly Socket _socket = new(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);

    public InheritedListener()
    {
        SocketPath = _directory.File("app.sock");
        _socket.Bind(new UnixDomainSocketEndPoint(SocketPath));
        if (!OperatingSystem.IsWindows())
        {
            File.SetUnixFileMode(SocketPath, Mode);
        }

        _socket.Listen(Backlog);
    }

    public string SocketPath { get; }

    /// <summary>Starts a program that finds the socket where this way of starting puts it.</summary>
    public ChildProcess Start(ListenerHandover handover, string program, params IEnumerable<string> arguments)
    {
        // A duplicate is passed on to every process that starts while it is open; the socket itself to none.
        using var duplicate = new SafeFileHandle(
            DescriptorControl((int)_socket.Handle, Duplicate, LowestDuplicate), ownsHandle: true);
        if (duplicate.IsInvalid)
        {
            throw new Win32Exception(Marshal.GetLastPInvokeError());
        }

        var descriptor = duplicate.DangerousGetHandle();
        var script = handover switch
        {
            ListenerHandover.Systemd => $"exec 3<&{descriptor}- && LISTEN_FDS=1 LISTEN_PID=$$ exec \"$0\" \"$@\"",
            ListenerHandover.SpawnFcgi => $"exec <&{descriptor}- && exec \"$0\" \"$@\"",
            _ => throw new ArgumentOutOfRangeException(nameof(handover), handover, "No such handover."),
        };
        return ChildProcess.Start("bash", ["-c", script, program, .. arguments], _directory.Path);
    }

    /// <summary>A connection waits that no process has accepted.</summary>
    public bool HasWaiting() => _socket.Poll(TimeSpan.FromMilliseconds(5), SelectMode.SelectRead);

    public void Dispose()
    {
        _socket.Dispose();
        _directory.Dispose();
    }

    [LibraryImport("libc", EntryPoint = "fcntl", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.System32)]
    private static partial int DescriptorControl(int descriptor, int command, int argument);
}
