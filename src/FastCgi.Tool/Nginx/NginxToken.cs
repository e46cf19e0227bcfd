namespace FastCgi.Tool.Nginx;

/// <summary>A word, or one of <c>; { }</c>.</summary>
/// <param name="Text">Without quotes, escapes resolved.</param>
/// <param name="IsMark">False for a word, also for a quoted brace.</param>
/// <param name="Place">Where it begins.</param>
internal sealed record NginxToken(string Text, bool IsMark, NginxPlace Place);
