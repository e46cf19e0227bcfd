namespace FastCgi.Tool.Nginx;

/// <summary>A reason why nginx does not start.</summary>
/// <param name="Place">The line to change.</param>
/// <param name="Message">The mistake.</param>
/// <param name="Remedy">The correct text; null if the message contains it.</param>
internal sealed record NginxError(NginxPlace Place, string Message, string? Remedy = null)
{
    /// <summary>The line in the message of <c>nginx -t</c>; null if it names none.</summary>
    public NginxPlace? Named { get; init; } = Place;

    /// <summary>The order in which nginx finds it: the <see cref="NginxDirective.Order"/> of a directive.</summary>
    public int Order { get; init; } = int.MaxValue;
}
