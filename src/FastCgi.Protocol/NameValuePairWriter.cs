using System.Buffers;
using System.Buffers.Binary;

namespace FastCgi.Protocol;

/// <summary>Writes name-value pairs, each length in its shortest form (FastCGI 1.0, section 3.4).</summary>
public static class NameValuePairWriter
{
    internal const int LongLengthThreshold = 128;
    private const int LongLengthSize = 4;
    private const uint LongLengthFlag = 0x8000_0000;

    /// <summary>The size of a pair on the wire, in bytes. The lengths are in bytes, 0 or more.</summary>
    public static long GetSize(int nameLength, int valueLength) =>
        (long)SizeOfLength(nameLength) + SizeOfLength(valueLength) + nameLength + valueLength;

    /// <summary>
    /// Writes a pair to the beginning of <paramref name="destination"/>. False if it does not fit; nothing was written
    /// then.
    /// </summary>
    public static bool TryWrite(
        Span<byte> destination, ReadOnlySpan<byte> name, ReadOnlySpan<byte> value, out int bytesWritten)
    {
        if (GetSize(name.Length, value.Length) > destination.Length)
        {
            bytesWritten = 0;
            return false;
        }

        bytesWritten = WriteLength(destination, name.Length);
        bytesWritten += WriteLength(destination[bytesWritten..], value.Length);
        name.CopyTo(destination[bytesWritten..]);
        bytesWritten += name.Length;
        value.CopyTo(destination[bytesWritten..]);
        bytesWritten += value.Length;
        return true;
    }

    /// <summary>Appends a pair to <paramref name="output"/>.</summary>
    /// <exception cref="OverflowException">The pair has 2 GiB or more.</exception>
    public static void Write(IBufferWriter<byte> output, ReadOnlySpan<byte> name, ReadOnlySpan<byte> value)
    {
        ArgumentNullException.ThrowIfNull(output);
        var size = checked((int)GetSize(name.Length, value.Length));
        TryWrite(output.GetSpan(size), name, value, out var written);
        output.Advance(written);
    }

    private static int SizeOfLength(int length) => length < LongLengthThreshold ? 1 : LongLengthSize;

    private static int WriteLength(Span<byte> destination, int length)
    {
        if (length < LongLengthThreshold)
        {
            destination[0] = (byte)length;
            return 1;
        }

        BinaryPrimitives.WriteUInt32BigEndian(destination, (uint)length | LongLengthFlag);
        return LongLengthSize;
    }
}
