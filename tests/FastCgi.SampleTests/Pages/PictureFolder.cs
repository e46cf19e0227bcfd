namespace FastCgi.SampleTests.Pages;

/// <summary>
/// Where the pictures of a sample go, and the sheet that shows every state: wide and light, beside a phone and dark.
/// </summary>
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
          h2 { margin: 12px 0 4px; font-size: 16px; }
          div { display: flex; gap: 8px; align-items: flex-start; }
          img { display: block; width: 896px; }
          img.phone-dark { width: 292px; }
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
        if (look.Name is "wide" or "phone-dark")
        {
            _sheet.Append("<img class=\"").Append(look.Name).Append("\" alt=\"\" src=\"").Append(file).Append("\">\n");
        }
    }

    public void End() => _sheet.Append("</div></section>\n");

    /// <summary>Writes SAMPLE.html and a picture of it, SAMPLE.webp.</summary>
    public async Task WriteSheetAsync(Chromium browser)
    {
        var page = Path.Combine(_path, $"{_sample}.html");
        await File.WriteAllTextAsync(page, _sheet.ToString());
        await browser.ResizeAsync(new Viewport(1220, 300, IsPhone: false));
        await browser.PreferColoursAsync(dark: false);
        await browser.OpenAsync(new Uri($"file://{page}"));
        await browser.SavePageAsync(Path.ChangeExtension(page, ".webp"), int.MaxValue);
    }
}
