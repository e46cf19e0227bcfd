namespace FastCgi.Tool.Nginx;

/// <summary>The part of a configuration that could be read.</summary>
/// <param name="Root">A block without a name, whose children are those of the main file.</param>
/// <param name="Errors">The reasons why nginx does not start, in the order in which it finds them.</param>
/// <param name="Unread">Files that the user of the tool may not read.</param>
/// <param name="IsReadable">False if the reading ended at an error, so that the rest is unknown.</param>
internal sealed record NginxConfiguration(
    NginxDirective Root, IReadOnlyList<NginxError> Errors, IReadOnlyList<NginxPlace> Unread, bool IsReadable);
