package dev.kron.scheduler.spring;

import dev.kron.cron.CronExpression;
import dev.kron.scheduler.Callback;
import dev.kron.scheduler.Registration;
import dev.kron.scheduler.RunContext;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.env.Environment;

/** Finds the methods that are tasks, in every bean that is made. */
final class KronTaskMethods implements BeanPostProcessor {
  private static final Logger LOG = LoggerFactory.getLogger(KronTaskMethods.class);

  private final Environment environment;
  private final BeanFactory beans;
  private final List<Registration> found = new ArrayList<>();
  private boolean taken;

  KronTaskMethods(Environment environment, BeanFactory beans) {
    this.environment = environment;
    this.beans = beans;
  }

  /** The methods that were found so far; the scheduler is about to start with them. */
  synchronized List<Registration> registrations() {
    taken = true;
    return List.copyOf(found);
  }

  /** The methods of a class that are tasks. */
  static Map<Method, KronTask> of(Class<?> type) {
    return MethodIntrospector.selectMethods(
        type,
        (MethodIntrospector.MetadataLookup<KronTask>)
            method -> AnnotatedElementUtils.findMergedAnnotation(method, KronTask.class));
  }

  @Override
  public Object postProcessAfterInitialization(Object bean, String beanName) {
    of(AopUtils.getTargetClass(bean))
        .forEach((method, task) -> add(registration(bean, beanName, method, task)));
    return bean;
  }

  private synchronized void add(Registration registration) {
    if (taken) {
      LOG.warn(
          "Task \"{}\" is not scheduled: its bean was made after the scheduler had started; do not"
              + " make it lazy",
          registration.name());
    }
    found.add(registration);
  }

  private void requireSingleton(String beanName) {
    if (beans.containsBean(beanName) && !beans.isSingleton(beanName)) {
      throw new IllegalArgumentException(
          "there may be any number of beans of that name, or none; only singletons have tasks");
    }
  }

  private Registration registration(Object bean, String beanName, Method method, KronTask task) {
    try {
      requireSingleton(beanName);
      String expression = text(task.value());
      CronExpression.posix(expression); // says here which method's it is
      String name = text(task.name());
      Registration.Builder builder =
          Registration.builder()
              .name(name.isEmpty() ? beanName + "." + method.getName() : name)
              .cronExpression(expression)
              .callback(callback(bean, method));
      chosen("retryDelay", task.retryDelay(), DurationStyle::detectAndParse, builder::retryDelay);
      chosen("retryLimit", task.retryLimit(), Integer::valueOf, builder::retryLimit);
      chosen("zone", task.zone(), ZoneId::of, builder::zone);
      chosen("timeout", task.timeout(), DurationStyle::detectAndParse, builder::timeout);
      chosen("window", task.window(), DurationStyle::detectAndParse, builder::window);
      return builder.build();
    } catch (RuntimeException wrong) {
      throw new BeanCreationException(
          beanName,
          "@KronTask on " + method + " cannot be understood: " + wrong.getMessage(),
          wrong);
    }
  }

  /** Chooses what an attribute says, if it says anything once its placeholders are filled in. */
  private <T> void chosen(
      String attribute, String given, Function<String, T> parser, Consumer<T> choice) {
    String text = text(given);
    if (text.isEmpty()) {
      return;
    }
    try {
      choice.accept(parser.apply(text));
    } catch (RuntimeException nonsense) {
      throw new IllegalArgumentException(
          attribute + " is \"" + text + "\": " + nonsense.getMessage(), nonsense);
    }
  }

  private String text(String given) {
    return environment.resolveRequiredPlaceholders(given).strip();
  }

  private static Callback callback(Object bean, Method method) {
    Method invocable = AopUtils.selectInvocableMethod(method, bean.getClass());
    invocable.setAccessible(true);
    Class<?>[] parameters = invocable.getParameterTypes();
    if (parameters.length == 0) {
      return Callback.of(run -> invoke(invocable, bean));
    }
    if (parameters.length == 1 && parameters[0].equals(RunContext.class)) {
      return Callback.of(run -> invoke(invocable, bean, run));
    }
    throw new IllegalArgumentException(
        "the method must have no parameters, or one of type RunContext");
  }

  private static void invoke(Method method, Object bean, Object... arguments) throws Exception {
    try {
      method.invoke(bean, arguments);
    } catch (InvocationTargetException thrown) {
      if (thrown.getCause() instanceof Exception meant) {
        throw meant;
      }
      if (thrown.getCause() instanceof Error meant) {
        throw meant;
      }
      throw thrown;
    }
  }
}
