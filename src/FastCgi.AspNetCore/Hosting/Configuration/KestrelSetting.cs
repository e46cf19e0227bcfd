namespace FastCgi.AspNetCore.Hosting.Configuration;

/// <summary>A setting of Kestrel that was taken over.</summary>
/// <param name="Text">Name and value.</param>
/// <param name="Holds">Nothing has replaced it since.</param>
internal sealed record KestrelSetting(string Text, Func<bool> Holds);
