using System.Buffers.Binary;

namespace FastCgi.Protocol;

/// <summary>The content of FCGI_BEGIN_REQUEST (FastCGI 1.0, section 5.1).</summary>
/// <remarks>
/// <code>
///  0         1         2         3         4         5         6         7
/// +---------+---------+---------+---------+---------+---------+---------+---------+
/// | role (big endian) | flags   | reserved                                        |
/// +---------+---------+---------+---------+---------+---------+---------+---------+
/// </code>
/// </remarks>
public readonly struct BeginRequestBody
{
    private const int FlagsOffset = 2;
    private const int ReservedOffset = 3;

    /// <summary>Creates a body with a role and flags.</summary>
    public BeginRequestBody(FastCgiRole role, BeginRequestFlags flags)
    {
        Role = role;
        Flags = flags;
    }

    /// <summary>The role as sent, even if it is not one of <see cref="FastCgiRole"/>.</summary>
    public FastCgiRole Role { get; }

    /// <summary>The flags as sent, including unknown bits.</summary>
    public BeginRequestFlags Flags { get; }

    /// <summary>True if FCGI_KEEP_CONN is set: the connection stays open after the answer.</summary>
    public bool KeepConnection => (Flags & BeginRequestFlags.KeepConnection) != 0;

    /// <summary>False if <paramref name="content"/> is not exactly eight bytes. Reserved bytes are ignored.</summary>
    public static bool TryRead(ReadOnlySpan<byte> content, out BeginRequestBody body)
    {
        if (content.Length != FastCgiConstants.FixedBodySize)
        {
            body = default;
            return false;
        }

        body = new BeginRequestBody(
            (FastCgiRole)BinaryPrimitives.ReadUInt16BigEndian(content),
            (BeginRequestFlags)content[FlagsOffset]);
        return true;
    }

    /// <summary>Writes eight bytes to <paramref name="destination"/>, which must be that long.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The destination is shorter; nothing was written.</exception>
    public void Write(Span<byte> destination)
    {
        destination[ReservedOffset..FastCgiConstants.FixedBodySize].Clear();
        BinaryPrimitives.WriteUInt16BigEndian(destination, (ushort)Role);
        destination[FlagsOffset] = (byte)Flags;
    }
}
