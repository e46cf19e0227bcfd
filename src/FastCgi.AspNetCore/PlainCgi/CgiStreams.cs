using System.ComponentModel;

namespace FastCgi.AspNetCore.PlainCgi;

/// <summary>
/// The body on descriptor 0, and the response on the former descriptor 1. Descriptor 1 becomes the standard error, so
/// that the application's console output never reaches the client.
/// </summary>
[UnsupportedOSPlatform("windows")]
internal static partial class CgiStreams
{
    private const int StandardInput = 0;
    private const int StandardOutput = 1;
    private const int StandardError = 2;
    private const int SetDescriptorFlags = 2;
    private const int CloseOnExec = 1;

    private static readonly Lock s_lock = new();
    private static Stream? s_response;

    /// <summary>Redirects descriptor 1 away from the client. A second call does nothing.</summary>
    public static void TakeResponse()
    {
        lock (s_lock)
        {
            if (s_response is not null)
            {
                return;
            }

            Stream console = Console.OpenStandardOutput();
            int response = Duplicate(StandardOutput);

            // Programs that the application starts must not keep the response open.
            if (response < 0 || SetDescriptor(response, SetDescriptorFlags, CloseOnExec) < 0
                || DuplicateTo(StandardError, StandardOutput) < 0)
            {
                throw new Win32Exception(Marshal.GetLastPInvokeError());
            }

            // A FileStream detects a lost client at a pipe. For a file, it would write at its own position, and others
            // would overwrite it.
            var file = new FileStream(
                new SafeFileHandle(response, ownsHandle: true), FileAccess.Write, bufferSize: 0);
            s_response = file.CanSeek ? console : file;
            // .NET may have opened its own duplicate of the old descriptor.
            Console.SetOut(new StreamWriter(Console.OpenStandardError()) { AutoFlush = true });
        }
    }

    /// <summary>Opens the former descriptor 1, after <see cref="TakeResponse"/>.</summary>
    public static Stream OpenResponse() =>
        s_response ?? throw new InvalidOperationException("TakeResponse comes first.");

    public static FileStream OpenBody() =>
        new(new SafeFileHandle(StandardInput, ownsHandle: false), FileAccess.Read, bufferSize: 0);

    [LibraryImport("libc", EntryPoint = "dup", SetLastError = true)]
    private static partial int Duplicate(int descriptor);

    [LibraryImport("libc", EntryPoint = "fcntl", SetLastError = true)]
    private static partial int SetDescriptor(int descriptor, int command, int argument);

    [LibraryImport("libc", EntryPoint = "dup2", SetLastError = true)]
    private static partial int DuplicateTo(int descriptor, int target);
}
