using System.Buffers.Binary;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Net;
using FastCgi.AspNetCore.Hosting.Configuration;

namespace FastCgi.AspNetCore.Hosting;

/// <summary>
/// Addresses and CIDR ranges that may connect. All 128 bits are compared, and an IPv4 address that comes as
/// <c>::ffff:10.0.0.5</c> is the IPv4 address. One bad entry makes a list that admits no client: a mistyped range must
/// not find the door open.
/// </summary>
internal sealed class ClientAllowList
{
    private const int AddressBits = 128;
    private const int MappedBits = 96;

    private readonly Range[] _ranges;

    private ClientAllowList(Range[] ranges, string? invalidEntry)
    {
        _ranges = ranges;
        InvalidEntry = invalidEntry;
    }

    /// <summary>The bad entry, for which no client is admitted; null when all entries are good.</summary>
    public string? InvalidEntry { get; }

    public static ClientAllowList Parse(IEnumerable<string> entries)
    {
        var ranges = new List<Range>();
        foreach (string entry in entries)
        {
            if (!TryParse(entry.AsSpan().Trim(), out Range range))
            {
                return new ClientAllowList([], entry);
            }

            ranges.Add(range);
        }

        return new ClientAllowList([.. ranges], invalidEntry: null);
    }

    public bool Admits([NotNullWhen(true)] IPAddress? client)
    {
        if (client is null)
        {
            return false;
        }

        (UInt128 bits, bool isIPv4) = Bits(client);
        foreach (Range range in _ranges)
        {
            if (range.Contains(bits, isIPv4))
            {
                return true;
            }
        }

        return false;
    }

    private static bool TryParse(ReadOnlySpan<char> text, out Range range)
    {
        range = default;
        int slash = text.IndexOf('/');
        if (!FastCgiAddress.TryParseIPAddress(slash < 0 ? text : text[..slash], out IPAddress? address))
        {
            return false;
        }

        bool isWrittenAsIPv4 = address.AddressFamily == System.Net.Sockets.AddressFamily.InterNetwork;
        int prefix = AddressBits;
        if (slash >= 0)
        {
            if (!int.TryParse(text[(slash + 1)..], NumberStyles.None, CultureInfo.InvariantCulture, out prefix)
                || prefix > (isWrittenAsIPv4 ? AddressBits - MappedBits : AddressBits))
            {
                return false;
            }

            prefix += isWrittenAsIPv4 ? MappedBits : 0;
        }

        // A range of IPv6 that is wider than the mapped addresses means IPv6 clients, never all of IPv4.
        (UInt128 bits, bool isIPv4) = Bits(address);
        range = new Range(bits, prefix, isIPv4 && prefix >= MappedBits);
        return true;
    }

    /// <summary>
    /// Every address as one of IPv6, IPv4 ones as mapped. A scope belongs to the machine, not to the address.
    /// </summary>
    private static (UInt128 Bits, bool IsIPv4) Bits(IPAddress address)
    {
        Span<byte> bytes = stackalloc byte[AddressBits / 8];
        if (address.AddressFamily == System.Net.Sockets.AddressFamily.InterNetwork)
        {
            bytes[..10].Clear();
            bytes[10..12].Fill(0xFF);
            address.TryWriteBytes(bytes[12..], out _);
            return (BinaryPrimitives.ReadUInt128BigEndian(bytes), true);
        }

        address.TryWriteBytes(bytes, out _);
        return (BinaryPrimitives.ReadUInt128BigEndian(bytes), address.IsIPv4MappedToIPv6);
    }

    private readonly record struct Range(UInt128 Bits, int Prefix, bool IsIPv4)
    {
        public bool Contains(UInt128 address, bool isIPv4) =>
            isIPv4 == IsIPv4
            && (Prefix == 0 || (address ^ Bits) >> (AddressBits - Prefix) == UInt128.Zero);
    }
}
