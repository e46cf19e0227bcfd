using System.Buffers.Text;
using System.Text;

namespace FastCgi.AspNetCore.Cgi;

internal static partial class ResponseHeadWriter
{
    /// <summary>Appends to the head while there is room. Once something did not fit, nothing is appended.</summary>
    private ref struct HeadBuffer(Span<byte> destination)
    {
        private readonly Span<byte> _destination = destination;

        public int Length { get; private set; }

        /// <summary>Something did not fit.</summary>
        public bool IsFull { get; private set; }

        private readonly Span<byte> Rest => _destination[Length..];

        public void Append(ReadOnlySpan<byte> bytes)
        {
            if (TryReserve(bytes.Length))
            {
                bytes.CopyTo(Rest);
                Length += bytes.Length;
            }
        }

        public void AppendLineEnd() => Append("\r\n"u8);

        public void Append(long number)
        {
            if (!IsFull && Utf8Formatter.TryFormat(number, Rest, out var written))
            {
                Length += written;
            }
            else
            {
                IsFull = true;
            }
        }

        /// <summary>Text that has been found to be ASCII.</summary>
        public void AppendAscii(ReadOnlySpan<char> text)
        {
            if (TryReserve(text.Length))
            {
                Length += Encoding.ASCII.GetBytes(text, Rest);
            }
        }

        /// <summary>Text for people: whatever is no visible ASCII becomes a question mark.</summary>
        public void AppendSanitised(ReadOnlySpan<char> text)
        {
            if (!TryReserve(text.Length))
            {
                return;
            }

            foreach (var character in text)
            {
                _destination[Length++] = character is >= ' ' and < (char)0x7F ? (byte)character : (byte)'?';
            }
        }

        /// <summary>A header's value in the encoding that was chosen for it.</summary>
        /// <exception cref="InvalidOperationException">The encoding makes a control byte of it.</exception>
        public void AppendEncoded(string name, string value, Encoding encoding)
        {
            if (IsFull || !encoding.TryGetBytes(value, Rest, out var written))
            {
                IsFull = true;
                return;
            }

            HeaderValidation.RequireEncoded(name, Rest[..written], encoding);
            Length += written;
        }

        private bool TryReserve(int length)
        {
            IsFull |= length > _destination.Length - Length;
            return !IsFull;
        }
    }
}
