using System.Diagnostics.CodeAnalysis;

namespace WaveSample;

/// <summary>The setting <c>Server</c>: the same application on either server, so that two runs can be compared.</summary>
internal static class ServerChoice
{
    private const string Setting = "Server";
    private const string FastCgi = "fastcgi";
    private const string Kestrel = "kestrel";

    /// <returns>False when there is no server of that name; the fault says which there are.</returns>
    public static bool TryApply(WebApplicationBuilder builder, [NotNullWhen(false)] out string? fault)
    {
        var name = builder.Configuration[Setting] ?? FastCgi;
        if (Is(name, FastCgi))
        {
            builder.WebHost.UseFastCgi().UseFastCgiDevelopmentGateway();
        }
        else if (!Is(name, Kestrel))
        {
            fault = $"There is no server '{name}': --server is {FastCgi} or {Kestrel}.";
            return false;
        }

        fault = null;
        return true;
    }

    private static bool Is(string name, string server) => string.Equals(name, server, StringComparison.OrdinalIgnoreCase);
}
