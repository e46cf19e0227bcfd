using System.Globalization;
using System.Security.Cryptography;
using System.Text;

namespace FastCgi.FuzzTests.Conversations;

/// <summary>What the application does with a request; named in its target.</summary>
public enum Mode
{
    /// <summary>Reads the body, then answers.</summary>
    Read,

    /// <summary>As Read, but leaves the thread before it answers.</summary>
    Yield,

    /// <summary>As Read, but the answer leaves in several flushes.</summary>
    Flush,

    /// <summary>Answers with the body while it arrives.</summary>
    Echo,

    /// <summary>Answers without having looked at the body.</summary>
    Early,
}

/// <summary>One request as the generator meant it, and the answer that it must get.</summary>
public sealed record Script(
    string Token, string Method, Mode Mode, int Filler, byte[] Body, bool DeclaresLength, byte[] Params)
{
    public string Target => TargetOf(Token, Mode, Filler);

    public static string TargetOf(string token, Mode mode, int filler) =>
        string.Create(CultureInfo.InvariantCulture, $"/{token}/{mode}?n={filler}");

    /// <summary>What the application writes: who was served, with what, and bytes that belong to this request alone.</summary>
    public byte[] ExpectedBody(ReadOnlySpan<byte> received) => Method == "HEAD"
        ? []
        : [.. Marker(Method, Target, Mode, received), .. FillerOf(Token, Filler)];

    /// <summary>The first line of an answer, and for an echo the body.</summary>
    public static byte[] Marker(string method, string target, Mode mode, ReadOnlySpan<byte> body) => mode switch
    {
        Mode.Early => Encoding.ASCII.GetBytes($"{method} {target}\n"),
        Mode.Echo => [.. Encoding.ASCII.GetBytes($"{method} {target}\n"), .. body],
        _ => Encoding.ASCII.GetBytes($"{method} {target} {Convert.ToHexString(SHA256.HashData(body))}\n"),
    };

    public static byte[] FillerOf(string token, int length)
    {
        var filler = new byte[length];
        for (var i = 0; i < length; i++)
        {
            filler[i] = (byte)token[i % token.Length];
        }

        return filler;
    }
}
