namespace FastCgi.Tool.Nginx;

/// <summary>A reason for which nginx does not start.</summary>
/// <param name="Place">The line to change.</param>
/// <param name="Message">What is wrong there.</param>
/// <param name="Remedy">What to write instead; null where the message says it.</param>
internal sealed record NginxError(NginxPlace Place, string Message, string? Remedy = null)
{
    /// <summary>The line that <c>nginx -t</c> names; null if it names none.</summary>
    public NginxPlace? Named { get; init; } = Place;

    /// <summary>When nginx meets it: the <see cref="NginxDirective.Order"/> of a directive.</summary>
    public int Order { get; init; } = int.MaxValue;
}
