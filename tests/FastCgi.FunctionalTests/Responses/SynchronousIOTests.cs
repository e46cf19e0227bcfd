namespace FastCgi.FunctionalTests.Responses;

public sealed class SynchronousIOTests : FunctionalTest
{
    [Fact]
    public Task Can_be_allowed_for_all() => AssertRespondsAsync(
        (200, null, "echo"),
        Run(context =>
        {
            context.Request.Body.CopyTo(context.Response.Body);
            context.Response.Body.Flush();
        }),
        Post("echo"),
        options => options.AllowSynchronousIO = true);

    [Fact]
    public async Task A_read_that_blocks_gets_what_arrives_meanwhile()
    {
        var peer = await StartAndEnterAsync(
            Run(context =>
            {
                var buffer = new byte[4];
                context.Request.Body.ReadExactly(buffer, 0, 1);
                Entered.Reach();
                context.Request.Body.ReadExactly(buffer, 1, 3);
                context.Response.Body.Write(buffer);
            }),
            BeginPost(4).Stdin(1, "a"u8),
            options => options.AllowSynchronousIO = true);

        Assert.Equal("abcd", (await peer.RoundTripAsync(EndBody("bcd"u8))).BodyText);
    }

    [Theory, InlineData(false), InlineData(true)]
    public Task A_write_of_too_much_leaves_nothing_in_front_of_an_error_page(bool byByte) => AssertRespondsAsync(
        (500, "10", "error page"),
        async context =>
        {
            context.Response.ContentLength = byByte ? 0 : 5;
            Assert.Throws<InvalidOperationException>(() =>
            {
                if (byByte)
                {
                    context.Response.Body.WriteByte(1);
                }
                else
                {
                    context.Response.Body.Write("hello, world"u8);
                }
            });
            Assert.False(context.Response.HasStarted);
            context.Response.Clear();
            context.Response.StatusCode = 500;
            context.Response.ContentLength = 10;
            await context.Response.WriteAsync("error page");
        },
        options: options => options.AllowSynchronousIO = true);

    [Theory, InlineData(204), InlineData(205), InlineData(304)]
    public Task A_write_where_no_body_may_be_throws(int status) => AssertRespondsAsync(
        (status, status == 205 ? "0" : null, ""),
        Run(context =>
        {
            context.Response.StatusCode = status;
            Assert.Throws<InvalidOperationException>(() => context.Response.Body.Write("not wanted"u8));
            Assert.True(context.Response.HasStarted);
        }),
        options: options => options.AllowSynchronousIO = true);
}
