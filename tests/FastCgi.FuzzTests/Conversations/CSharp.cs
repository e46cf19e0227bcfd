using System.Globalization;
using System.Text;

namespace FastCgi.FuzzTests.Conversations;

/// <summary>Prints a conversation as the code of a test.</summary>
internal static class CSharp
{
    public static string Of(Conversation conversation)
    {
        var code = new StringBuilder();
        code.Append(CultureInfo.InvariantCulture, $"// {conversation}");
        code.AppendLine().Append("new RecordBuilder()");
        foreach (var piece in conversation.Pieces)
        {
            code.AppendLine().Append("    ").Append(piece.IsStop
                ? $"/* wait for the answer to {piece.Id} */"
                : Of(conversation.Work.Slice(piece.Start, piece.Length).ToArray()));
        }

        return code.Append(';').ToString();
    }

    private static string Of(byte[] bytes)
    {
        if (bytes.Length < 8 || bytes[0] != 1 || bytes[7] != 0 || bytes.Length != 8 + ((bytes[4] << 8) | bytes[5]) + bytes[6])
        {
            return $".Raw({Literal(bytes)})";
        }

        var (type, id, content) = (bytes[1], (bytes[2] << 8) | bytes[3], bytes[8..^bytes[6]]);
        return type == 1 && bytes[6] == 0 && content is [0, var role, var flags, 0, 0, 0, 0, 0]
            ? $".Begin({id}, role: {role}, keepConnection: {(flags == 1 ? "true" : "false")})"
            : $".Record({type}, {id}, {Literal(content)}, padding: {bytes[6]})";
    }

    private static string Literal(byte[] bytes)
    {
        if (bytes.Length == 0)
        {
            return "[]";
        }

        return bytes.All(value => value is >= 32 and < 127 and not (byte)'"' and not (byte)'\\')
            ? $"\"{Encoding.ASCII.GetString(bytes)}\"u8"
            : bytes.Length > 2000
                ? $"new byte[{bytes.Length}] /* as the seed makes it */"
                : $"Convert.FromHexString(\"{Convert.ToHexString(bytes)}\")";
    }
}
