namespace FastCgi.AspNetCore.Tests.Requests;

/// <summary>The collection: reading, setting, revisions.</summary>
public sealed class FeatureCollectionTests
{
    private readonly FeaturesFixture _fixture = new();

    [Fact]
    public void The_generic_and_the_untyped_way_lead_to_the_same_feature_which_can_be_replaced_and_taken_away()
    {
        var items = new ItemsFeature();
        _fixture.Collection.Set<IItemsFeature>(items);
        Assert.Same(items, _fixture.Collection[typeof(IItemsFeature)]);
        _fixture.Collection[typeof(IItemsFeature)] = null;
        Assert.Null(_fixture.Collection.Get<IItemsFeature>());

        var replacement = new StreamResponseBodyFeature(Stream.Null);
        _fixture.Collection.Set<IHttpResponseBodyFeature>(replacement);
        Assert.Same(replacement, _fixture.Collection.Get<IHttpResponseBodyFeature>());
        _fixture.Collection.Set<IHttpMaxRequestBodySizeFeature>(null);
        Assert.Null(_fixture.Collection.Get<IHttpMaxRequestBodySizeFeature>());
    }

    [Fact]
    public void An_unknown_type_is_kept_replaced_and_removed()
    {
        _fixture.Collection.Set("first");
        _fixture.Collection.Set<Version>(new Version(1, 2));
        _fixture.Collection.Set("second");
        Assert.Equal("second", _fixture.Collection.Get<string>());
        Assert.Equal("second", _fixture.Collection[typeof(string)]);

        _fixture.Collection.Set<string>(null);
        Assert.Null(_fixture.Collection.Get<string>());
        Assert.Equal(new Version(1, 2), _fixture.Collection.Get<Version>());
    }

    [Fact]
    public void A_value_type_that_is_absent_throws_since_it_has_no_null()
    {
        Assert.Throws<InvalidOperationException>(() => _fixture.Collection.Get<int>());
        Assert.Null(_fixture.Collection.Get<int?>());

        _fixture.Collection.Set(5);
        Assert.Equal(5, _fixture.Collection.Get<int>());
    }

    [Fact]
    public void An_object_of_the_wrong_type_and_a_null_key_are_refused()
    {
        Assert.Throws<ArgumentException>(() => _fixture.Collection[typeof(IItemsFeature)] = "not items");
        Assert.Throws<ArgumentNullException>(() => _fixture.Collection[null!]);
        Assert.Throws<ArgumentNullException>(() => _fixture.Collection[null!] = "");
    }

    [Fact]
    public void Every_set_and_every_reset_changes_the_revision_and_reading_does_not()
    {
        var before = _fixture.Collection.Revision;
        Assert.NotNull(_fixture.Collection.Get<IHttpRequestFeature>());
        Assert.Null(_fixture.Collection.Get<ITlsConnectionFeature>());
        Assert.NotEmpty(_fixture.Collection);
        Assert.Equal(before, _fixture.Collection.Revision);

        var revisions = new HashSet<int> { before };
        Action[] changes =
        [
            () => _fixture.Collection.Set<IItemsFeature>(new ItemsFeature()),
            () => _fixture.Collection[typeof(IItemsFeature)] = null,
            () => _fixture.Collection.Set("unknown"),
            () => _fixture.Collection.Set<string>(null),
            _fixture.End,
        ];
        Assert.All(changes, change =>
        {
            change();
            Assert.True(revisions.Add(_fixture.Collection.Revision));
        });
    }

    [Fact]
    public void An_HttpContext_that_is_turned_to_the_next_request_sees_nothing_of_the_first()
    {
        var context = new DefaultHttpContext(_fixture.Collection);
        context.Items["who"] = "first";
        context.Request.Path = "/changed";
        context.Features.Set<IHttpResponseBodyFeature>(new StreamResponseBodyFeature(Stream.Null));
        Assert.Same(Stream.Null, context.Response.Body);

        _fixture.BeginNext();

        // A host that keeps its context turns it to the features of the next request.
        context.Uninitialize();
        context.Initialize(_fixture.Collection);
        Assert.Empty(context.Items);
        Assert.Equal("/café/a%2Fb", context.Request.Path.Value);
        Assert.Same(_fixture.Response.Stream, context.Response.Body);
    }

    [Fact]
    public void The_enumeration_yields_each_feature_once_and_no_absent_one()
    {
        _fixture.Collection.Set("unknown");
        _fixture.Collection.Set<IHttpBodyControlFeature>(null);

        var all = _fixture.Collection.ToDictionary(pair => pair.Key, pair => pair.Value);

        Assert.Equal("unknown", all[typeof(string)]);
        Assert.Same(_fixture.Features, all[typeof(IHttpRequestFeature)]);
        Assert.DoesNotContain(typeof(IHttpBodyControlFeature), all.Keys);
        Assert.DoesNotContain(typeof(ITlsConnectionFeature), all.Keys);
        Assert.DoesNotContain(typeof(IItemsFeature), all.Keys);
        Assert.All(all, pair => Assert.Same(pair.Value, _fixture.Collection[pair.Key]));
    }
}
