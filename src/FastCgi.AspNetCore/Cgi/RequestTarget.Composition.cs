using System.Buffers;

namespace FastCgi.AspNetCore.Cgi;

internal sealed partial class RequestTarget
{
    /// <summary>Makes a target out of params where the web server sent none that can be used as it is.</summary>
    private sealed class Composition
    {
        // What a path may hold unescaped (RFC 3986, section 3.3), and the slash.
        private static readonly SearchValues<byte> _pathCharacters = SearchValues.Create(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=:@/"u8);

        private byte[] _buffer = [];
        private int _length;

        /// <summary>The target that was made; valid until the next one is.</summary>
        public ReadOnlySpan<byte> Written => _buffer.AsSpan(0, _length);

        /// <summary>A decoded path, escaped again, and a query string behind it.</summary>
        public ReadOnlySpan<byte> FromDecoded(
            ReadOnlySpan<byte> first, ReadOnlySpan<byte> second, ReadOnlySpan<byte> queryString)
        {
            Begin((3 * (first.Length + second.Length)) + queryString.Length + 2);
            var start = first.IsEmpty ? second : first;
            if (start.IsEmpty || start[0] != '/')
            {
                Append("/"u8);
            }

            AppendEscaped(first);
            AppendEscaped(second);
            AppendQuery(queryString);
            return Written;
        }

        /// <summary>
        /// A path that is encoded already, or a target without its query, and a query string behind it.
        /// </summary>
        public ReadOnlySpan<byte> FromEncoded(ReadOnlySpan<byte> path, ReadOnlySpan<byte> queryString)
        {
            Begin(path.Length + queryString.Length + 1);
            Append(path);
            AppendQuery(queryString);
            return Written;
        }

        /// <summary>The part of an absolute URL behind its authority, with the slash that it may lack.</summary>
        public ReadOnlySpan<byte> FromRootless(ReadOnlySpan<byte> rest)
        {
            Begin(rest.Length + 1);
            Append("/"u8);
            Append(rest);
            return Written;
        }

        private void Begin(int capacity)
        {
            _length = 0;
            if (_buffer.Length < capacity)
            {
                _buffer = new byte[capacity];
            }
        }

        private void Append(ReadOnlySpan<byte> bytes)
        {
            bytes.CopyTo(_buffer.AsSpan(_length));
            _length += bytes.Length;
        }

        private void AppendQuery(ReadOnlySpan<byte> queryString)
        {
            if (!queryString.IsEmpty)
            {
                Append("?"u8);
                Append(queryString);
            }
        }

        private void AppendEscaped(ReadOnlySpan<byte> decoded)
        {
            while (!decoded.IsEmpty)
            {
                var plain = decoded.IndexOfAnyExcept(_pathCharacters);
                if (plain < 0)
                {
                    Append(decoded);
                    return;
                }

                Append(decoded[..plain]);
                AppendEscape(decoded[plain]);
                decoded = decoded[(plain + 1)..];
            }
        }

        private void AppendEscape(byte value)
        {
            _buffer[_length++] = (byte)'%';
            _buffer[_length++] = (byte)HexDigit(value >> 4);
            _buffer[_length++] = (byte)HexDigit(value & 0xF);
        }

        private static char HexDigit(int value) => (char)(value < 10 ? '0' + value : 'A' + value - 10);
    }
}
