using System.Buffers.Binary;
using System.Diagnostics.CodeAnalysis;
using System.Net;

namespace FastCgi.AspNetCore.Hosting;

/// <summary>Networks that may connect. An IPv4 address that comes as <c>::ffff:10.0.0.5</c> is that of IPv4.</summary>
internal sealed class ClientAllowList(IEnumerable<IPNetwork> networks)
{
    private const int AddressBits = 128;
    private const int MappedBits = 96;

    private readonly Range[] _ranges = [.. networks.Select(Range.From)];

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

    /// <summary>Every address as one of IPv6, IPv4 ones as mapped. A scope is of the machine, and left out.</summary>
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
        public static Range From(IPNetwork network)
        {
            (UInt128 bits, bool isIPv4) = ClientAllowList.Bits(network.BaseAddress);
            bool isWrittenAsIPv4 = network.BaseAddress.AddressFamily == System.Net.Sockets.AddressFamily.InterNetwork;
            int prefix = network.PrefixLength + (isWrittenAsIPv4 ? MappedBits : 0);

            // A range of IPv6 that is wider than the mapped addresses means IPv6 clients, never all of IPv4.
            return new Range(bits, prefix, isIPv4 && prefix >= MappedBits);
        }

        public bool Contains(UInt128 address, bool isIPv4) =>
            isIPv4 == IsIPv4
            && (Prefix == 0 || (address ^ Bits) >> (AddressBits - Prefix) == UInt128.Zero);
    }
}
