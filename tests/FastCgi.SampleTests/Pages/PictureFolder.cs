using System.Text;
using FastCgi.WebServerKit.Browsers;

namespace FastCgi.SampleTests.Pages;

/// <summary>Where the pictures of a sample go, and the contact sheet that shows all of them.</summary>
internal sealed class PictureFolder
{
    /// <summary>Names the folder. Without it no pictures are taken.</summary>
    private const string Variable = "FASTCGI_PICTURES";

    /// <summary>A page of fifty items is not shown to its end.</summary>
    private const int MaxHeight = 3000;

    private const string Head = """
        <!DOCTYPE html>
        <html lang="en">
        <meta charset="utf-8">
        <title>Pages</title>
        <style>
          body { margin: 0; padding: 12px; background: #8b929c; font: 13px/1.3 system-ui, sans-serif; }
          main { display: grid; grid-template-columns: repeat(2, max-content); gap: 14px 18px; }
          h2 { margin: 0 0 4px; font-size: 14px; }
          div { display: flex; gap: 4px; }
          img { display: block; width: 250px; height: 176px; object-fit: cover; object-position: top; }
          img.phone { width: 81px; }
        </style>
        <main>

        """;

    private readonly string _path;
    private readonly string _sample;
    private readonly StringBuilder _sheet = new(Head);

    private PictureFolder(string path, string sample)
    {
        _path = Path.GetFullPath(path);
        _sample = sample;
        Directory.CreateDirectory(Path.Combine(_path, sample));
    }

    /// <summary>Null when no pictures are wanted.</summary>
    public static PictureFolder? Of(string sample) =>
        Environment.GetEnvironmentVariable(Variable) is { Length: > 0 } path ? new(path, sample) : null;

    public void Begin(string state) => _sheet.Append("<section><h2>").Append(state).Append("</h2><div>\n");

    public async Task TakeAsync(Chromium browser, string state, Look look)
    {
        var file = $"{_sample}/{state.Replace(' ', '-')}-{look.Name}.png";
        await browser.SavePageAsync(Path.Combine(_path, file), MaxHeight);
        var width = look.Viewport.IsPhone ? "phone" : "wide";
        _sheet.Append("<img class=\"").Append(width).Append("\" alt=\"\" src=\"").Append(file).Append("\">\n");
    }

    public void End() => _sheet.Append("</div></section>\n");

    /// <summary>Writes SAMPLE.html and a picture of it, SAMPLE.jpg.</summary>
    public async Task WriteSheetAsync(Chromium browser)
    {
        var page = Path.Combine(_path, $"{_sample}.html");
        await File.WriteAllTextAsync(page, _sheet.ToString());
        await browser.ResizeAsync(new Viewport(1394, 300, IsPhone: false));
        await browser.PreferColoursAsync(dark: false);
        await browser.OpenAsync(new Uri($"file://{page}"));
        await browser.SavePageAsync(Path.ChangeExtension(page, ".jpg"), int.MaxValue);
    }
}
