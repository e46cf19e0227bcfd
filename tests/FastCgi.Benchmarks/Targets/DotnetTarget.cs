using System.Reflection;
using System.Runtime.InteropServices;
using FastCgi.AspNetCore;

namespace FastCgi.Benchmarks.Targets;

/// <summary>The application of this project, on this server by either protocol, or on Kestrel.</summary>
internal sealed class DotnetTarget(string name, ServerKind server) : Target(name)
{
    public override TargetProtocol Protocol => server switch
    {
        ServerKind.FastCgi => TargetProtocol.FastCgi,
        ServerKind.Scgi => TargetProtocol.Scgi,
        _ => TargetProtocol.Http,
    };

    public override Task<string?> PrepareAsync()
    {
        string version = typeof(FastCgiServerOptions).Assembly
            .GetCustomAttribute<AssemblyInformationalVersionAttribute>()!.InformationalVersion;
        string product = server switch
        {
            ServerKind.FastCgi => $"FastCgi.AspNetCore {version}",
            ServerKind.Scgi => $"FastCgi.AspNetCore {version} behind scgi_pass",
            _ => "Kestrel behind proxy_pass",
        };
        Description = $"{product}, {RuntimeInformation.FrameworkDescription}";
        return Task.FromResult<string?>(null);
    }

    public override ProcessCommand Command(TargetSetup setup) => new(
        Environment.ProcessPath!, typeof(DotnetTarget).Assembly.Location, "serve", server.ToString(),
        $"{setup.Address}");
}
