namespace FastCgi.Tool.Doctor;

/// <summary>What an application answered.</summary>
internal enum ProbeOutcome
{
    /// <summary>It speaks FastCGI.</summary>
    FastCgi,

    /// <summary>It speaks HTTP.</summary>
    Http,

    /// <summary>Nothing accepts connections.</summary>
    Unreachable,
}

/// <param name="Outcome">Who is there.</param>
/// <param name="Message">Why nobody is, or null.</param>
/// <param name="HeadLength">Bytes of the response head of the probe's request; null if there was none.</param>
internal sealed record ProbedApplication(ProbeOutcome Outcome, string? Message, int? HeadLength);
