namespace FastCgi.WebServerKit.Browsers;

/// <summary>The size of a page's window, in CSS pixels.</summary>
internal sealed record Viewport(int Width, int Height, bool IsPhone)
{
    public static Viewport Desktop { get; } = new(1280, 960, IsPhone: false);

    public static Viewport Phone { get; } = new(390, 844, IsPhone: true);
}
