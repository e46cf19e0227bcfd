using System.Text.Json;

namespace FastCgi.Gateway.Tests.PhpApplications;

/// <summary>MediaWiki with SQLite. Its pages are PATH_INFO of index.php, and have any letters.</summary>
[SupportedOSPlatform("linux")]
[Collection("PHP applications, one browser at a time")]
public sealed class MediaWikiTests
{
    private const int UploadSize = 200_000_000;

    [Fact]
    public async Task Each_path_has_the_answer_that_it_has_behind_nginx()
    {
        using var directory = new WorkDirectory();
        await using ComparedSite site = await StartAsync(directory);
        await site.AssertSameAsync(
            [
                "/wiki",
                "/wiki/",
                "/wiki/index.php",
                "/wiki/index.php/Main_Page",
                "/wiki/index.php?title=Main_Page&action=history",
                "/wiki/index.php?title=Special:Version",
                "/wiki/index.php/AC%5CDC",
                "/wiki/index.php/%C3%84rger",
                "/wiki/index.php/A/B/C",
                "/wiki/index.php/A%3FB",
                "/wiki/index.php/Special:Search?search=page",
                "/wiki/api.php?action=query&meta=siteinfo&format=json",
                "/wiki/api.php?action=query&titles=Main_Page&format=json",
                "/wiki/rest.php/v1/page/Main_Page/bare",
                "/wiki/rest.php/v1/page/None",
                "/wiki/load.php?lang=en&modules=site.styles&only=styles&skin=vector",
                "/wiki/load.php?lang=en&modules=startup&only=scripts&raw=1&skin=vector",
                "/wiki/opensearch_desc.php",
                "/wiki/img_auth.php/none.png",
                "/wiki/thumb.php",
                "/wiki/mw-config/index.php",
                "/wiki/mw-config",
                "/wiki/nothing.php",
                "/wiki/nothing.php/x",
                "/wiki/nothing",
                "/wiki/includes/",
                "/wiki/includes",
                "/wiki/includes/Defines.php",
                "/wiki/maintenance/install.php",
                "/wiki/resources/assets/mediawiki.png",
                "/wiki/resources/assets/licenses/cc-by.png",
                "/wiki/resources/src/mediawiki.legacy/config.css",
                "/wiki/composer.json",
            ],
            new Dictionary<string, string>
            {
                ["/wiki/resources/src/mediawiki.less/mediawiki.mixins.less"] = "a file of an unknown type is not sent",
                ["/wiki/includes/.htaccess"] = "names that begin with a dot do not exist",
            });
    }

    [Fact]
    public async Task A_page_is_written_and_a_file_of_200_MB_uploaded()
    {
        const string Text = "Written '''through''' MapFastCgi.";
        using var directory = new WorkDirectory();
        await using ComparedSite site = await StartAsync(directory);
        using (JsonDocument edited = await PostAsync(site, new MultipartFormDataContent
        {
            { new StringContent("edit"), "action" },
            { new StringContent("AC\\DC"), "title" },
            { new StringContent(Text), "text" },
        }))
        {
            Assert.Equal("Success", edited.RootElement.GetProperty("edit").GetProperty("result").GetString());
        }

        const string Raw = "/wiki/index.php?title=AC%5CDC&action=raw";
        await site.AssertSameAsync(["/wiki/index.php/AC%5CDC", Raw]);
        Assert.Equal(Text, await site.Gateway.GetStringAsync(Raw).Within("the page"));

        byte[] file = new byte[UploadSize];
        new Random(1).NextBytes(file);
        using JsonDocument uploaded = await PostAsync(site, new MultipartFormDataContent
        {
            { new StringContent("upload"), "action" },
            { new StringContent("Large.bin"), "filename" },
            { new StringContent("1"), "ignorewarnings" },
            { new ByteArrayContent(file), "file", "Large.bin" },
        });
        Assert.True(uploaded.RootElement.TryGetProperty("upload", out JsonElement upload), uploaded.RootElement.ToString());
        Assert.Equal("Success", upload.GetProperty("result").GetString());
        byte[] stored = await File.ReadAllBytesAsync(directory.File(Path.Combine("images", "Large.bin")));
        Assert.True(file.AsSpan().SequenceEqual(stored), $"{stored.Length} bytes were stored, or others.");
        Assert.DoesNotContain("PHP Fatal", site.PhpLog);
    }

    /// <summary>Anonymously: the wiki allows all of it, and the token of strangers is always the same.</summary>
    private static async Task<JsonDocument> PostAsync(ComparedSite site, MultipartFormDataContent form)
    {
        form.Add(new StringContent("json"), "format");
        form.Add(new StringContent("+\\"), "token");
        using var client = new HttpClient { BaseAddress = site.Gateway.BaseAddress, Timeout = Deadline.Of(TimeSpan.FromMinutes(2)) };
        using var answer = await client.PostAsync("/wiki/api.php", form)
            .Within("an answer", deadline: TimeSpan.FromMinutes(2));
        Assert.Equal(HttpStatusCode.OK, answer.StatusCode);
        return JsonDocument.Parse(await answer.Content.ReadAsStringAsync());
    }

    private static async Task<ComparedSite> StartAsync(WorkDirectory directory)
    {
        string root = UnpackedPackages.PathOf("var/lib/mediawiki");
        string settings = directory.File("LocalSettings.php");
        await UnpackedPackages.RunPhpAsync(
            directory,
            Path.Combine(root, "maintenance", "install.php"),
            "--dbtype=sqlite",
            $"--dbpath={directory.Subdirectory("data")}",
            "--dbname=wiki",
            "--scriptpath=/wiki",
            "--server=http://site.example",
            "--pass=a long Password 4 tests",
            $"--confpath={directory.Path}",
            "A wiki",
            "Editor");
        await File.AppendAllTextAsync(settings, $"""

            $wgEnableUploads = true;
            $wgUploadDirectory = '{directory.Subdirectory("images")}';
            $wgHashedUploadDirectory = false;
            $wgMaxUploadSize = 300 * 1024 * 1024;
            $wgStrictFileExtensions = false;
            $wgCheckFileExtensions = false;
            $wgVerifyMimeType = false;
            $wgUseImageMagick = false;
            $wgGroupPermissions['*']['upload'] = true;
            $wgJobRunRate = 0;

            """);
        return await ComparedSite.StartAsync(
            directory,
            "/wiki",
            root,
            variables: new Dictionary<string, string> { ["MW_CONFIG_FILE"] = settings });
    }
}
