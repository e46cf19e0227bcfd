namespace FastCgi.Tool.Doctor;

/// <summary>An application's answer to a probe.</summary>
internal enum ProbeOutcome
{
    /// <summary>It speaks the protocol of the directive.</summary>
    Right,

    /// <summary>It takes connections, and does not tell what it speaks.</summary>
    Silent,

    /// <summary>It speaks FastCGI behind scgi_pass, or SCGI behind fastcgi_pass and proxy_pass.</summary>
    OtherProtocol,

    /// <summary>It speaks HTTP.</summary>
    Http,

    /// <summary>Nothing accepts connections.</summary>
    Unreachable,
}

/// <param name="Outcome">Who is there.</param>
/// <param name="Message">Why nobody is, or null.</param>
/// <param name="HeadLength">Bytes of the response head of the probe's request; null if there was none.</param>
/// <param name="IsPhp">Null if it did not tell.</param>
internal sealed record ProbedApplication(ProbeOutcome Outcome, string? Message, int? HeadLength, bool? IsPhp = null);
