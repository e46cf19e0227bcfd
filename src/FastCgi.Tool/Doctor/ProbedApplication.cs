namespace FastCgi.Tool.Doctor;

/// <summary>What an application answered.</summary>
internal enum ProbeOutcome
{
    /// <summary>It speaks the protocol of the directive, as far as it answers.</summary>
    Right,

    /// <summary>It speaks FastCGI behind scgi_pass, or SCGI behind fastcgi_pass.</summary>
    OtherProtocol,

    /// <summary>It speaks HTTP.</summary>
    Http,

    /// <summary>Nothing accepts connections.</summary>
    Unreachable,
}

/// <param name="Outcome">Who is there.</param>
/// <param name="Message">Why nobody is, or null.</param>
/// <param name="HeadLength">Bytes of the response head of the probe's request; null if there was none.</param>
internal sealed record ProbedApplication(ProbeOutcome Outcome, string? Message, int? HeadLength);
