using System.Diagnostics.CodeAnalysis;

namespace FastCgi.Protocol;

/// <summary>The flags of FCGI_BEGIN_REQUEST (FastCGI 1.0, section 5.1). Unknown bits must be ignored.</summary>
[Flags]
[SuppressMessage("Naming", "CA1711", Justification = "The specification calls this component flags.")]
public enum BeginRequestFlags : byte
{
    /// <summary>The application closes the connection after its answer.</summary>
    None = 0,

    /// <summary>FCGI_KEEP_CONN: the connection stays open after the answer; the peer closes it.</summary>
    KeepConnection = 1,
}
