using System.Diagnostics;
using System.Runtime.CompilerServices;
using Microsoft.AspNetCore.Hosting.Server;

namespace FastCgi.Benchmarks.Targets;

/// <summary>
/// Runs in a sample's process, and takes every server but Kestrel away from the host that is built. So an application
/// that asks for this server is measured on Kestrel, unchanged.
/// </summary>
internal sealed class KestrelInstead : IObserver<DiagnosticListener>, IObserver<KeyValuePair<string, object?>>
{
    private const string Kestrel = "Microsoft.AspNetCore.Server.Kestrel.";

    public static void Watch() => DiagnosticListener.AllListeners.Subscribe(new KestrelInstead());

    public void OnNext(DiagnosticListener value)
    {
        if (value.Name == "Microsoft.Extensions.Hosting")
        {
            value.Subscribe(this);
        }
    }

    public void OnNext(KeyValuePair<string, object?> value)
    {
        if (value.Key == "HostBuilding")
        {
            Replace(value.Value!);
        }
    }

    public void OnCompleted()
    {
    }

    public void OnError(Exception error)
    {
    }

    /// <summary>Only now are the types of hosting needed. What is configured here runs last.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Replace(object builder) => ((IHostBuilder)builder).ConfigureServices(static services =>
    {
        ServiceDescriptor[] others = [.. services.Where(static service =>
            service.ServiceType == typeof(IServer)
            && service.ImplementationType?.FullName?.StartsWith(Kestrel, StringComparison.Ordinal) != true)];
        Array.ForEach(others, other => services.Remove(other));
    });
}
