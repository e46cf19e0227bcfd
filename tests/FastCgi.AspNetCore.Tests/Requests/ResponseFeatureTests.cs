namespace FastCgi.AspNetCore.Tests.Requests;

/// <summary>The response's head, and the ways to its body.</summary>
public sealed class ResponseFeatureTests
{
    private readonly FeaturesFixture _fixture = new();

    private IHttpResponseFeature Response => _fixture.Get<IHttpResponseFeature>();

    private IHttpResponseBodyFeature Body => _fixture.Get<IHttpResponseBodyFeature>();

    [Fact]
    public void After_the_start_the_head_refuses_changes_and_keeps_what_it_had()
    {
        Response.Headers["X-Tag"] = "blue";
        _ = _fixture.Response.StartAsync(default);

        Assert.True(Response.HasStarted);
        Assert.Throws<InvalidOperationException>(() => Response.StatusCode = 404);
        Assert.Throws<InvalidOperationException>(() => Response.ReasonPhrase = "late");
        Assert.Throws<InvalidOperationException>(() => Response.Headers = new HeaderDictionary());
        Assert.Throws<InvalidOperationException>(() => Response.Headers["X-Tag"] = "red");
        Assert.Throws<InvalidOperationException>(() => Response.OnStarting(_ => Task.CompletedTask, new object()));
        Assert.Equal(200, Response.StatusCode);
        Assert.Null(Response.ReasonPhrase);
        Assert.Equal("blue", Response.Headers["X-Tag"]);

        // The server itself may still set the status, for those who log it.
        _fixture.Features.StatusCode = 499;
        Assert.Equal(499, Response.StatusCode);
    }

    [Theory, InlineData(true), InlineData(false)]
    public void A_start_closes_the_headers(bool replaced)
    {
        if (replaced)
        {
            Response.Headers = new HeaderDictionary();
        }

        _fixture.Features.FreezeResponse();
        Assert.Throws<InvalidOperationException>(() => Response.Headers["X-Tag"] = "blue");
    }

    [Fact]
    public void Replaced_headers_are_those_that_the_server_sends_and_null_gives_its_own_back()
    {
        var own = Response.Headers;
        var headers = new HeaderDictionary();
        Response.Headers = headers;
        Assert.Same(headers, _fixture.Features.ResponseHeaders);

        Response.Headers = null!;
        Assert.Same(own, _fixture.Features.ResponseHeaders);
    }

    [Fact]
    public async Task An_error_wipes_what_was_prepared_and_leaves_the_OnCompleted_callbacks()
    {
        var ran = false;
        Response.OnCompleted(_ => Task.FromResult(ran = true), new object());
        Response.Headers["X-Own"] = "1";
        Response.Headers = new HeaderDictionary { ["X-Tag"] = "blue" };
        Response.ReasonPhrase = "Fine";
        Response.OnStarting(_ => throw new InvalidOperationException("must not run"), new object());
        _fixture.Features.FreezeResponse();

        _fixture.Features.ResetResponseForError();

        Assert.Empty(Response.Headers);
        Assert.False(Response.Headers.IsReadOnly);
        Assert.Null(Response.ReasonPhrase);
        Assert.False(_fixture.Features.HasOnStartingCallbacks);
        await _fixture.Features.FireOnCompletedAsync().Within("OnCompleted");
        Assert.True(ran);
    }

#pragma warning disable CS0618 // Old middleware sets the body here.
    [Fact]
    public void The_obsolete_body_is_the_body_feature_s_stream()
    {
        Assert.Same(_fixture.Response.Stream, Response.Body);

        var other = new MemoryStream();
        Response.Body = other;
        Assert.Same(other, Response.Body);
        Assert.Same(other, Body.Stream);

        Response.Body = _fixture.Response.Stream;
        Assert.Same(_fixture.Features, Body);
    }
#pragma warning restore CS0618
}
