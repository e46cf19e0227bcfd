using System.Buffers;
using FastCgi.Tool.Output;

namespace FastCgi.Tool.Configuration;

/// <summary>Refuses what no file can say, before one is written.</summary>
internal static class DeploymentCheck
{
    /// <summary>What ends a word, or begins a block, in the file of some web server.</summary>
    private static readonly SearchValues<char> s_special = SearchValues.Create(" \t\r\n\"';{}");

    /// <exception cref="ToolException">A value cannot be written.</exception>
    public static void ForEverybody(DeploymentSettings settings)
    {
        if (settings.Endpoint is { SocketPath: null, Port: 0 } endpoint)
        {
            string text = endpoint.Descriptor is { } descriptor ? $"fd:{descriptor}" : $"{endpoint.Host}:0";
            throw Refused(
                $"the endpoint '{text}' does not say where the application can be reached. Give that with " +
                $"--endpoint, for example --endpoint unix:/run/{settings.Site}/app.sock for a socket of systemd.");
        }
    }

    /// <exception cref="ToolException">A value cannot be written.</exception>
    public static void ForWebServer(DeploymentSettings settings)
    {
        if (settings.Endpoint.SocketPath is ['\0', .. string name])
        {
            throw Refused(
                $"the endpoint '@{name}' is an abstract socket, and fcgi config writes sockets with a path only. " +
                "Give one with --endpoint.");
        }

        foreach (string? value in (string?[])
            [
                settings.Endpoint.SocketPath, settings.PathBase, settings.Certificate, settings.Key,
            ])
        {
            if (value.AsSpan().ContainsAny(s_special))
            {
                throw Refused(
                    $"'{value}' has a blank, a quote, a semicolon or a brace, which fcgi config does not write. " +
                    "Choose a path without them.");
            }
        }
    }

    private static ToolException Refused(string message) => new(ExitCode.Usage, message);
}
