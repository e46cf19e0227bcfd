namespace FastCgi.Tool.Nginx;

/// <summary>A word, or one of <c>; { }</c>.</summary>
internal sealed record NginxToken(string Text, bool IsMark, NginxPlace Place);
