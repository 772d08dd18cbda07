package dev.kron.scheduler.spring;

import dev.kron.scheduler.Callback;
import dev.kron.scheduler.Registration;
import dev.kron.scheduler.RunContext;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.env.Environment;

/** Finds the methods that are tasks, in every bean that is made. */
final class KronTaskMethods implements BeanPostProcessor {
  private final Environment environment;
  private final List<Registration> found = new ArrayList<>();

  KronTaskMethods(Environment environment) {
    this.environment = environment;
  }

  /** What was found so far. */
  synchronized List<Registration> registrations() {
    return List.copyOf(found);
  }

  @Override
  public Object postProcessAfterInitialization(Object bean, String beanName) {
    Map<Method, KronTask> tasks =
        MethodIntrospector.selectMethods(
            AopUtils.getTargetClass(bean),
            (MethodIntrospector.MetadataLookup<KronTask>)
                method -> AnnotatedElementUtils.findMergedAnnotation(method, KronTask.class));
    tasks.forEach((method, task) -> add(registration(bean, beanName, method, task)));
    return bean;
  }

  private synchronized void add(Registration registration) {
    found.add(registration);
  }

  private Registration registration(Object bean, String beanName, Method method, KronTask task) {
    try {
      String name = text(task.name());
      Registration.Builder builder =
          Registration.builder()
              .name(name.isEmpty() ? beanName + "." + method.getName() : name)
              .cronExpression(text(task.value()))
              .callback(callback(bean, method))
              .retryDelay(duration(task.retryDelay()));
      String zone = text(task.zone());
      if (!zone.isEmpty()) {
        builder.zone(ZoneId.of(zone));
      }
      String limit = text(task.retryLimit());
      if (!limit.isEmpty()) {
        builder.retryLimit(Integer.parseInt(limit));
      }
      if (!task.timeout().isEmpty()) {
        builder.timeout(duration(task.timeout()));
      }
      if (!task.window().isEmpty()) {
        builder.window(duration(task.window()));
      }
      return builder.build();
    } catch (RuntimeException wrong) {
      throw new BeanCreationException(
          beanName,
          "@KronTask on " + method + " cannot be understood: " + wrong.getMessage(),
          wrong);
    }
  }

  private String text(String given) {
    return environment.resolveRequiredPlaceholders(given).strip();
  }

  private Duration duration(String given) {
    return DurationStyle.detectAndParse(text(given));
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
