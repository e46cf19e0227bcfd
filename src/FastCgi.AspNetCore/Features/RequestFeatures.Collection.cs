using System.Collections;
using System.Runtime.CompilerServices;
using Microsoft.AspNetCore.Http.Features;

namespace FastCgi.AspNetCore.Features;

// The collection: a table of slots for the known types, a short list for the others.
internal partial class RequestFeatures : IFeatureCollection
{
    /// <summary>Stands in a slot whose feature depends on params that nobody has looked at yet.</summary>
    private static readonly object s_unresolved = new();

    private readonly object?[] _slots = new object?[(int)FeatureSlot.Count];
    private bool _servedSlotsChanged;
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
        var slot = FeatureSlots.Find(typeof(TFeature));
        if (slot != FeatureSlot.Unknown)
        {
            // The two setters let in only what fits.
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
        var slot = FeatureSlots.Find(typeof(TFeature));
        if (slot == FeatureSlot.Unknown)
        {
            SetOther(typeof(TFeature), instance);
            return;
        }

        SetSlot(slot, instance);
    }

    IEnumerator<KeyValuePair<Type, object>> IEnumerable<KeyValuePair<Type, object>>.GetEnumerator() => Enumerate();

    IEnumerator IEnumerable.GetEnumerator() => Enumerate();

    private object? GetSlot(FeatureSlot slot)
    {
        var feature = _slots[(int)slot];
        return ReferenceEquals(feature, s_unresolved) ? ResolveSlot(slot) : feature;
    }

    private object? ResolveSlot(FeatureSlot slot)
    {
        if (_request is null)
        {
            return null;
        }

        var present = slot switch
        {
            FeatureSlot.TlsConnection => HasTls,
            FeatureSlot.TlsHandshake => HasTlsHandshake,
            _ => Control.AllowsUpgrade,
        };
        return _slots[(int)slot] = present ? this : null;
    }

    private void SetSlot(FeatureSlot slot, object? feature)
    {
        ThrowIfOver();
        _revision++;
        _servedSlotsChanged |= FeatureSlots.IsServed(slot);
        _slots[(int)slot] = feature;
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

    private void FillServedSlots()
    {
        Array.Fill(_slots, this, 0, (int)FeatureSlot.TlsConnection);
        Unresolve();
        _servedSlotsChanged = false;
    }

    private void Unresolve() => Array.Fill(
        _slots,
        s_unresolved,
        (int)FeatureSlot.TlsConnection,
        (int)FeatureSlot.Items - (int)FeatureSlot.TlsConnection);

    private void ResetSlots()
    {
        // References that were cached by revision belong to the request that has ended.
        _revision++;
        if (_servedSlotsChanged)
        {
            FillServedSlots();
        }

        Unresolve();
        Array.Clear(_slots, (int)FeatureSlot.Items, (int)FeatureSlot.Count - (int)FeatureSlot.Items);
        _others?.Clear();
    }
}
