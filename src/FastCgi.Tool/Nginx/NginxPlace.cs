namespace FastCgi.Tool.Nginx;

/// <summary>A line of a configuration file, from 1.</summary>
internal sealed record NginxPlace(string File, int Line)
{
    public override string ToString() => $"{File}:{Line}";
}
