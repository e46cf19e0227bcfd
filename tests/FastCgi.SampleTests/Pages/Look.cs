namespace FastCgi.SampleTests.Pages;

/// <summary>One of the four ways in which every page is looked at.</summary>
internal sealed record Look(string Name, Viewport Viewport, bool IsDark)
{
    public static IReadOnlyList<Look> All { get; } =
    [
        new("wide", new Viewport(1280, 900, IsPhone: false), IsDark: false),
        new("wide-dark", new Viewport(1280, 900, IsPhone: false), IsDark: true),
        new("phone", Viewport.Phone, IsDark: false),
        new("phone-dark", Viewport.Phone, IsDark: true),
    ];
}
