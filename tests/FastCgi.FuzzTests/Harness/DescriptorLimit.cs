using System.Runtime.InteropServices;

namespace FastCgi.FuzzTests.Harness;

/// <summary>The soft limit of open descriptors, RLIMIT_NOFILE. Its end puts the former one back.</summary>
public sealed partial class DescriptorLimit : IDisposable
{
    private const int OpenFiles = 7;

    private readonly Limits _former;

    private DescriptorLimit(ulong soft)
    {
        _former = Get();
        Set(_former with { Soft = Math.Min(soft, _former.Hard) });
    }

    public static ulong Current => Get().Soft;

    public static DescriptorLimit AsHighAsAllowed() => new(ulong.MaxValue);

    /// <summary>No further descriptor can be opened by anybody in this process.</summary>
    public static DescriptorLimit Exhausted()
    {
        using var lowestFree = File.OpenHandle("/dev/null");
        return new((ulong)lowestFree.DangerousGetHandle());
    }

    public void Dispose() => Set(_former);

    private static Limits Get() =>
        getrlimit(OpenFiles, out var limits) == 0 ? limits : throw new InvalidOperationException("getrlimit failed.");

    private static void Set(Limits limits)
    {
        if (setrlimit(OpenFiles, limits) != 0)
        {
            throw new InvalidOperationException($"setrlimit failed: error {Marshal.GetLastPInvokeError()}.");
        }
    }

    [LibraryImport("libc", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int getrlimit(int resource, out Limits limits);

    [LibraryImport("libc", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int setrlimit(int resource, in Limits limits);

    private readonly record struct Limits(ulong Soft, ulong Hard);
}
