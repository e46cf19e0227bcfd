using System.Text;

namespace FastCgi.Client.Requests;

/// <summary>Decodes the path of a target once, to bytes. What is no valid escape stays as it is.</summary>
internal static class PercentEncoding
{
    public static byte[] Decode(ReadOnlySpan<char> path)
    {
        byte[] bytes = new byte[Encoding.UTF8.GetByteCount(path)];
        int length = Encoding.UTF8.GetBytes(path, bytes);
        int escape = bytes.AsSpan().IndexOf((byte)'%');
        if (escape < 0)
        {
            return bytes;
        }

        int to = escape;
        for (int from = escape; from < length; from++)
        {
            if (bytes[from] == '%' && from + 2 < length
                && char.IsAsciiHexDigit((char)bytes[from + 1]) && char.IsAsciiHexDigit((char)bytes[from + 2]))
            {
                bytes[to++] = (byte)((Digit(bytes[from + 1]) << 4) | Digit(bytes[from + 2]));
                from += 2;
            }
            else
            {
                bytes[to++] = bytes[from];
            }
        }

        return bytes[..to];
    }

    private static int Digit(byte hex) => hex <= '9' ? hex - '0' : (hex | 0x20) - 'a' + 10;
}
