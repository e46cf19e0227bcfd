namespace FastCgi.Tool.Nginx;

/// <summary>A word, or one of <c>; { }</c>.</summary>
/// <param name="Text">The text without quotes, with escapes resolved.</param>
/// <param name="IsMark">False for a word, including a quoted brace.</param>
/// <param name="Place">The place where it begins.</param>
internal sealed record NginxToken(string Text, bool IsMark, NginxPlace Place);
