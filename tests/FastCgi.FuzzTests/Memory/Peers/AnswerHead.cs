using System.Buffers.Text;
using System.Globalization;
using System.Text;
using FastCgi.FuzzTests.Memory.Talks;

namespace FastCgi.FuzzTests.Memory.Peers;

/// <summary>The head of a CGI response.</summary>
internal readonly record struct AnswerHead(int Status, Script? Script, int Length)
{
    /// <summary>Reads a whole head; what is wrong with it, or null.</summary>
    public static string? Read(ReadOnlySpan<byte> stdout, Talk talk, out AnswerHead head)
    {
        head = default;
        var end = stdout.IndexOf("\r\n\r\n"u8);
        if (end < 0)
        {
            return "a head that is not whole in its first record";
        }

        var fields = stdout[..(end + 2)];
        var line = fields.StartsWith("Status: "u8) ? 0 : fields.IndexOf("\r\nStatus: "u8) + 2;
        if (line == 1 || !Utf8Parser.TryParse(fields[(line + 8)..], out int status, out _))
        {
            return $"a head without Status: {Encoding.Latin1.GetString(fields)}";
        }

        Script? script = null;
        var start = fields.IndexOf("X-Token: "u8);
        if (start >= 0)
        {
            var value = fields[(start + 9)..];
            if (!int.TryParse(value[..8], NumberStyles.HexNumber, CultureInfo.InvariantCulture, out var number)
                || !uint.TryParse(value[8..16], NumberStyles.HexNumber, CultureInfo.InvariantCulture, out var nonce))
            {
                return "a token that nobody wrote";
            }

            script = talk.Scripts.Find(script => script.Number == number && script.Nonce == nonce);
            if (script is null)
            {
                return $"the answer to request {number:x}, which is another talk's";
            }
        }

        head = new AnswerHead(status, script, end + 4);
        return null;
    }
}
