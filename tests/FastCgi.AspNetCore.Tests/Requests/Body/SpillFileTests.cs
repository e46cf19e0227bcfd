namespace FastCgi.AspNetCore.Tests.Requests.Body;

public class SpillFileTests
{
    [Fact]
    public async Task Content_comes_back_in_order_while_more_is_written()
    {
        using var file = new SpillFile();
        var random = new Random(1);
        byte next = 0, expected = 0;
        long written = 0, read = 0;
        for (var turn = 0; turn < 500; turn++)
        {
            var content = new byte[random.Next(1, 3000)];
            foreach (ref var item in content.AsSpan())
            {
                item = next++;
            }

            await file.WriteAsync(content);
            written += content.Length;
            var buffer = new byte[random.Next(1, 3500)];
            var count = await file.ReadAsync(buffer);
            read += count;
            Assert.All(buffer.Take(count), item => Assert.Equal(expected++, item));
            Assert.Equal(written == read, file.IsEmpty);
        }

        Assert.InRange(read, written / 2, written);
    }

    [Fact]
    public async Task A_file_that_is_empty_gives_nothing()
    {
        using var file = new SpillFile();
        Assert.True(file.IsEmpty);
        Assert.Equal(0, await file.ReadAsync(new byte[10]));

        await file.WriteAsync(new byte[5]);
        Assert.False(file.IsEmpty);
        Assert.Equal(5, await file.ReadAsync(new byte[10]));
        Assert.True(file.IsEmpty);
        Assert.Equal(0, await file.ReadAsync(new byte[10]));
    }

    [Fact]
    public void The_folder_is_the_configured_one_or_that_of_the_system()
    {
        var configured = Directory.CreateTempSubdirectory();

        Assert.Equal(configured.FullName, SpillFile.FindFolder(configured.FullName));
        Assert.Equal(Path.GetTempPath(), SpillFile.FindFolder(null));
        Assert.Equal(Path.GetTempPath(), SpillFile.FindFolder(""));
        configured.Delete();
        var failure = Assert.Throws<DirectoryNotFoundException>(() => SpillFile.FindFolder(configured.FullName));
        Assert.Contains(configured.FullName, failure.Message, StringComparison.Ordinal);
        Assert.Contains("ASPNETCORE_TEMP", failure.Message, StringComparison.Ordinal);
    }
}
