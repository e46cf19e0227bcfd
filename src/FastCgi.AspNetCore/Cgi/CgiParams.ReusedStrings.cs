using System.Text;

namespace FastCgi.AspNetCore.Cgi;

internal sealed partial class CgiParams
{
    /// <summary>The last string of each place, handed out again while the same bytes come.</summary>
    private sealed class ReusedStrings(int count, bool isDisabled)
    {
        private readonly string?[] _kept = new string?[count];

        /// <summary>The bytes as text; UTF-8 without an encoding. A place beyond the last is never kept.</summary>
        public string Get(int place, ReadOnlySpan<byte> bytes, Encoding? encoding)
        {
            var mayReuse = !isDisabled && place < _kept.Length;
            if (mayReuse && _kept[place] is { } kept && kept.Length == bytes.Length && Ascii.Equals(bytes, kept)
                && ExtendsAscii(encoding))
            {
                return kept;
            }

            var value = (encoding ?? Encoding.UTF8).GetString(bytes);
            if (mayReuse)
            {
                _kept[place] = value;
            }

            return value;
        }

        /// <summary>The usual spelling of a header field's CGI name.</summary>
        public string GetHeaderName(int place, ReadOnlySpan<byte> cgiName)
        {
            var mayReuse = !isDisabled && place < _kept.Length;
            if (mayReuse && _kept[place] is { } kept && HeaderNameText.Matches(kept, cgiName))
            {
                return kept;
            }

            var name = HeaderNameText.Restore(cgiName);
            if (mayReuse)
            {
                _kept[place] = name;
            }

            return name;
        }

        // Bytes that are equal as ASCII are the same text in each of these, whichever of them made the string.
        private static bool ExtendsAscii(Encoding? encoding) =>
            encoding is null || ReferenceEquals(encoding, Encoding.UTF8) || ReferenceEquals(encoding, Encoding.Latin1);
    }
}
