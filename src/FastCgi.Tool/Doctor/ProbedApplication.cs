namespace FastCgi.Tool.Doctor;

/// <summary>An application's answer to a probe.</summary>
internal enum ProbeOutcome
{
    /// <summary>The application speaks the protocol of the directive.</summary>
    Right,

    /// <summary>The application accepts connections, but its protocol is unknown.</summary>
    Silent,

    /// <summary>The application speaks FastCGI behind scgi_pass, or SCGI behind fastcgi_pass or proxy_pass.</summary>
    OtherProtocol,

    /// <summary>The application speaks HTTP.</summary>
    Http,

    /// <summary>Nothing accepts connections.</summary>
    Unreachable,
}

/// <param name="Outcome">The result.</param>
/// <param name="Message">The reason why nothing answers, or null.</param>
/// <param name="HeadLength">Bytes of the response head of the probe's request; null if there was none.</param>
/// <param name="IsPhp">Null if unknown.</param>
internal sealed record ProbedApplication(ProbeOutcome Outcome, string? Message, int? HeadLength, bool? IsPhp = null);
