using System.Globalization;
using System.Security.Cryptography;

namespace FastCgi.FuzzTests.Model;

/// <summary>
/// Tells which body an application read, where that is not the one of its script: the header X-Body of its answer.
/// </summary>
internal static class BodyMark
{
    public static string Of(ReadOnlySpan<byte> body) =>
        string.Create(CultureInfo.InvariantCulture, $"{body.Length} {Convert.ToHexString(SHA256.HashData(body))}");
}
