using System.Buffers.Text;
using System.Globalization;
using System.Security.Cryptography;
using System.Text;

namespace FastCgi.FuzzTests.Model;

/// <summary>The head of a CGI response.</summary>
/// <param name="Script">Null where the server answered for itself.</param>
/// <param name="BodyMark">Tells which body the application read; null where it does not say.</param>
internal sealed record AnswerHead(int Status, Script? Script, string? BodyMark, int Length)
{
    /// <summary>Reads a whole head; what is wrong with it, or null.</summary>
    public static string? Read(ReadOnlySpan<byte> stdout, Conversation conversation, out AnswerHead? head)
    {
        head = null;
        var end = stdout.IndexOf("\r\n\r\n"u8);
        if (end < 0)
        {
            return "a head that is not whole in its first record";
        }

        var fields = stdout[..(end + 2)];
        if (!Utf8Parser.TryParse(ValueOf("Status: "u8, fields), out int status, out _))
        {
            return $"a head without Status: {Encoding.Latin1.GetString(fields)}";
        }

        Script? script = null;
        var token = ValueOf("X-Token: "u8, fields);
        if (!token.IsEmpty)
        {
            Span<char> characters = stackalloc char[18];
            script = token.Length == 18 && Encoding.ASCII.TryGetChars(token, characters, out _)
                ? conversation.Find(characters)
                : null;
            if (script is null)
            {
                return $"the answer to {Encoding.Latin1.GetString(token)}, which is another conversation's";
            }
        }

        var mark = ValueOf("X-Body: "u8, fields);
        head = new AnswerHead(status, script, mark.IsEmpty ? null : Encoding.ASCII.GetString(mark), end + 4);
        return null;
    }

    private static ReadOnlySpan<byte> ValueOf(ReadOnlySpan<byte> name, ReadOnlySpan<byte> fields)
    {
        while (!fields.IsEmpty)
        {
            var end = fields.IndexOf("\r\n"u8);
            if (fields.StartsWith(name))
            {
                return fields[name.Length..end];
            }

            fields = fields[(end + 2)..];
        }

        return default;
    }
}

/// <summary>The header X-Body: which request an application had, where that need not be the one of its script.</summary>
internal static class BodyMark
{
    public static string Of(string method, ReadOnlySpan<byte> body) =>
        string.Create(
            CultureInfo.InvariantCulture, $"{method} {body.Length} {Convert.ToHexString(SHA256.HashData(body))}");
}
