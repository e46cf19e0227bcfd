namespace FastCgi.Tool.Nginx;

/// <summary>A line of a configuration file, from 1.</summary>
internal sealed record NginxPlace(string File, int Line)
{
    public override string ToString() => $"{File}:{Line}";

    /// <summary>The place in a message about another line: without the file if that is the same.</summary>
    public string From(NginxPlace other) => other.File == File ? $"line {Line}" : ToString();
}
