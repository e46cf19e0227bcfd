using System.Collections;
using System.Runtime.CompilerServices;
using Microsoft.AspNetCore.Authentication;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Http.Features.Authentication;
using Microsoft.AspNetCore.Http.Timeouts;
using Microsoft.AspNetCore.Server.Kestrel.Core.Features;

namespace FastCgi.AspNetCore.Requests;

// The collection: a table of slots for the known types, a short list for the others.
internal sealed partial class RequestFeatures : IFeatureCollection
{
    /// <summary>Marks a slot that was not replaced.</summary>
    private static readonly object s_served = new();

    // Features that the framework sets, by slot.
    private FrameworkFeatures _frameworkFeatures;

    // Features that the application set in place of the server's. Most requests have none.
    private object?[]? _replaced;
    private List<KeyValuePair<Type, object>>? _others;
    private int _revision;

    bool IFeatureCollection.IsReadOnly => false;

    int IFeatureCollection.Revision => _revision;

    object? IFeatureCollection.this[Type key]
    {
        get
        {
            ArgumentNullException.ThrowIfNull(key);
            var slot = FeatureSlots.Find(key);
            return slot == FeatureSlot.Unknown ? FindOther(key) : GetSlot(slot);
        }
        set
        {
            ArgumentNullException.ThrowIfNull(key);
            var slot = FeatureSlots.Find(key);
            if (slot == FeatureSlot.Unknown)
            {
                SetOther(key, value);
                return;
            }

            if (value is not null && !key.IsInstanceOfType(value))
            {
                // Get<TFeature> reads slots without a cast.
                throw new ArgumentException($"A {value.GetType()} is not a {key}.", nameof(value));
            }

            SetSlot(slot, value);
        }
    }

    TFeature? IFeatureCollection.Get<TFeature>()
        where TFeature : default
    {
        var slot = SlotOf<TFeature>.Value;
        if (slot != FeatureSlot.Unknown)
        {
            // The two setters only accept matching types.
            var feature = GetSlot(slot);
            return Unsafe.As<object?, TFeature?>(ref feature);
        }

        var other = FindOther(typeof(TFeature));
        if (other is null && typeof(TFeature).IsValueType && Nullable.GetUnderlyingType(typeof(TFeature)) is null)
        {
            throw new InvalidOperationException(
                $"{typeof(TFeature)} is not among the features, and a value type has no null to say so.");
        }

        return (TFeature?)other;
    }

    void IFeatureCollection.Set<TFeature>(TFeature? instance)
        where TFeature : default
    {
        var slot = SlotOf<TFeature>.Value;
        if (slot == FeatureSlot.Unknown)
        {
            SetOther(typeof(TFeature), instance);
            return;
        }

        SetSlot(slot, instance);
    }

    IEnumerator<KeyValuePair<Type, object>> IEnumerable<KeyValuePair<Type, object>>.GetEnumerator() => Enumerate();

    IEnumerator IEnumerable.GetEnumerator() => Enumerate();

    private object? GetSlot(FeatureSlot slot) =>
        slot >= FeatureSlot.Items ? _frameworkFeatures[slot - FeatureSlot.Items]
        : _replaced is null ? Served(slot)
        : ReferenceEquals(_replaced[(int)slot], s_served) ? Served(slot)
        : _replaced[(int)slot];

    /// <summary>This object, if the request has the feature of the slot.</summary>
    private RequestFeatures? Served(FeatureSlot slot) => slot switch
    {
        FeatureSlot.TlsConnection => !_cgi.IsOver && HasTls ? this : null,
        FeatureSlot.TlsHandshake => !_cgi.IsOver && HasTlsHandshake ? this : null,
        FeatureSlot.ConnectionMetricsTags => _response is not null && _connection.MetricsTags is not null ? this : null,
        FeatureSlot.Upgrade => _response is not null && AllowsUpgrade ? this : null,
        _ => this,
    };

    private void SetSlot(FeatureSlot slot, object? feature)
    {
        ThrowIfOver();
        _revision++;
        if (slot >= FeatureSlot.Items)
        {
            _frameworkFeatures[slot - FeatureSlot.Items] = feature;
            return;
        }

        if (_replaced is null)
        {
            _replaced = new object?[(int)FeatureSlot.Items];
            Array.Fill(_replaced, s_served);
        }

        _replaced[(int)slot] = feature;
    }

    private object? FindOther(Type type)
    {
        var index = IndexOfOther(type);
        return index < 0 ? null : _others![index].Value;
    }

    private int IndexOfOther(Type type)
    {
        for (var index = 0; index < (_others?.Count ?? 0); index++)
        {
            if (_others![index].Key == type)
            {
                return index;
            }
        }

        return -1;
    }

    private void SetOther(Type type, object? feature)
    {
        ThrowIfOver();
        _revision++;
        _others ??= [];
        var index = IndexOfOther(type);
        if (feature is null)
        {
            if (index >= 0)
            {
                _others.RemoveAt(index);
            }
        }
        else if (index >= 0)
        {
            _others[index] = new(type, feature);
        }
        else
        {
            _others.Add(new(type, feature));
        }
    }

    private IEnumerator<KeyValuePair<Type, object>> Enumerate()
    {
        for (var slot = 0; slot < (int)FeatureSlot.Count; slot++)
        {
            if (GetSlot((FeatureSlot)slot) is { } feature)
            {
                yield return new(FeatureSlots.Types[slot], feature);
            }
        }

        for (var index = 0; index < (_others?.Count ?? 0); index++)
        {
            yield return _others![index];
        }
    }

    /// <summary>The slot of one type. Reading a field of each type is faster than any search by the type.</summary>
    private static class SlotOf<TFeature>
    {
        public static readonly FeatureSlot Value = FeatureSlots.Find(typeof(TFeature));
    }

    [InlineArray((int)FeatureSlot.Count - (int)FeatureSlot.Items)]
    private struct FrameworkFeatures
    {
        private object? _first;
    }
}

/// <summary>The slot of each known type: its place in the list.</summary>
internal static class FeatureSlots
{
    private static readonly Type[] s_types =
    [
        // Those with a name in FeatureSlot, in its order.
        typeof(IConnectionMetricsTagsFeature), typeof(ITlsConnectionFeature), typeof(ITlsHandshakeFeature),
        typeof(IHttpUpgradeFeature), typeof(IHttpResponseBodyFeature),

        // Served by the server itself.
        typeof(IHttpRequestFeature), typeof(IHttpResponseFeature), typeof(IRequestBodyPipeFeature),
        typeof(IHttpRequestBodyDetectionFeature), typeof(IHttpRequestLifetimeFeature),
        typeof(IHttpRequestIdentifierFeature), typeof(IHttpConnectionFeature), typeof(IHttpBodyControlFeature),
        typeof(IHttpMaxRequestBodySizeFeature), typeof(IEndpointFeature), typeof(IRouteValuesFeature),
        typeof(IBadRequestExceptionFeature), typeof(IHttpRequestTrailersFeature), typeof(IServerVariablesFeature),
        typeof(IFastCgiRequestFeature), typeof(IConnectionItemsFeature), typeof(IConnectionCompleteFeature),
        typeof(IConnectionEndPointFeature), typeof(IConnectionLifetimeFeature),
        typeof(IConnectionLifetimeNotificationFeature), typeof(IHttpMinRequestBodyDataRateFeature),
        typeof(IHttpMinResponseDataRateFeature), typeof(IConnectionSocketFeature),

        // Set by the framework.
        typeof(IItemsFeature), typeof(IQueryFeature), typeof(IFormFeature), typeof(IRequestCookiesFeature),
        typeof(IResponseCookiesFeature), typeof(IServiceProvidersFeature), typeof(ISessionFeature),
        typeof(IHttpAuthenticationFeature), typeof(IAuthenticationFeature), typeof(IAuthenticateResultFeature),
        typeof(IHttpActivityFeature), typeof(IHttpMetricsTagsFeature), typeof(IHttpRequestTimeoutFeature),
    ];

    internal static ReadOnlySpan<Type> Types => s_types;

    /// <summary>The slot of a type. Unknown is -1, as IndexOf returns it for a type that is not listed.</summary>
    internal static FeatureSlot Find(Type type) => (FeatureSlot)Array.IndexOf(s_types, type);
}

/// <summary>The slots with a meaning of their own. <see cref="FeatureSlots"/> has the others.</summary>
internal enum FeatureSlot
{
    Unknown = -1,

    // Served if the params, the endpoint or the metrics allow it. Checked at the first access.
    ConnectionMetricsTags,
    TlsConnection,
    TlsHandshake,
    Upgrade,

    ResponseBody,

    /// <summary>The first of those that the framework sets.</summary>
    Items = 28,

    Count = 41,
}
